# The function of cells.py in C for compiled modules, which cimport it: no module of this name is compiled.
from cpython cimport array as arrays


cdef inline object new_cells(object empty, Py_ssize_t count):
    # Without zeros: memory takes no room before it is written to.
    return arrays.clone(<arrays.array>empty, count, False)
