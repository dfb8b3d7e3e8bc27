# The functions of cells.py in C for compiled modules, which cimport it: no module of this name is compiled.
from cpython.array cimport array, clone  # not from the package, all of which Cython would read
from libc.string cimport memcpy


cdef inline object new_cells(object empty, Py_ssize_t count):
    # Without zeros: memory takes no room before it is written to.
    return clone(<array>empty, count, False)


cdef inline object grown_cells(object cells, Py_ssize_t count):
    cdef array old = <array>cells
    cdef array new = clone(old, count, False)
    memcpy(new.data.as_voidptr, old.data.as_voidptr, min(len(old), count) * old.ob_descr.itemsize)
    return new


cdef inline int *ints(object cells) noexcept:
    return (<array>cells).data.as_ints


cdef inline long long *longs(object cells) noexcept:
    return (<array>cells).data.as_longlongs
