# The function of appending.py in C for compiled modules, which cimport it: no module of this name is compiled.
from libc.string cimport memcpy

from linkfix.html.python_api cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize, PyBytes_AS_STRING


cdef inline int append_span(bytearray out, bytes data, Py_ssize_t start, Py_ssize_t end) except -1:
    # Nothing is made of what is only copied.
    cdef Py_ssize_t size = PyByteArray_GET_SIZE(out)
    PyByteArray_Resize(out, size + end - start)
    memcpy(PyByteArray_AS_STRING(out) + size, PyBytes_AS_STRING(data) + start, end - start)
    return 0
