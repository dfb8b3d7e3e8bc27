# The function of appending.py in C, which compiled modules cimport. No compiled module has this name.
from libc.string cimport memcpy

from linkfix.html.python_api cimport (
    PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize, PyByteArrayObject, PyBytes_AS_STRING,
)


cdef inline int append_span(bytearray out, bytes data, Py_ssize_t start, Py_ssize_t end) except -1:
    # Bytes are copied directly, without an intermediate object.
    cdef Py_ssize_t size = PyByteArray_GET_SIZE(out)
    cdef Py_ssize_t new = size + end - start
    if new >= (<PyByteArrayObject *>out).ob_alloc:
        # Double the size. By itself a bytearray grows by an eighth, so that each byte would be copied eight times.
        PyByteArray_Resize(out, 2 * new)
    PyByteArray_Resize(out, new)
    memcpy(PyByteArray_AS_STRING(out) + size, PyBytes_AS_STRING(data) + start, end - start)
    return 0
