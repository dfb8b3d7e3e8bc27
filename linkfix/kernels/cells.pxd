# The functions of cells.py in C for compiled modules, which cimport it: no module of this name is compiled.
from libc.string cimport memcpy, memset

from linkfix.kernels.python_api cimport (
    PyBUF_WRITABLE, PyBuffer_Release, PyByteArray_AS_STRING, PyByteArray_FromStringAndSize, PyObject_GetBuffer,
)


cdef inline void *_address(object memory) except NULL:
    cdef Py_buffer view
    PyObject_GetBuffer(memory, &view, PyBUF_WRITABLE)
    PyBuffer_Release(&view)
    return view.buf


cdef inline object _zeros(Py_ssize_t size):
    cdef bytearray memory = PyByteArray_FromStringAndSize(NULL, size)
    memset(PyByteArray_AS_STRING(memory), 0, size)
    return memory


cdef inline object new_ints(Py_ssize_t count):
    return _zeros(count * sizeof(int))


cdef inline object new_longs(Py_ssize_t count):
    return _zeros(count * sizeof(long long))


cdef inline object _grown(object memory, Py_ssize_t size):
    # Without zeros: memory takes no room before it is written to.
    cdef bytearray grown = PyByteArray_FromStringAndSize(NULL, size)
    cdef Py_buffer view
    PyObject_GetBuffer(memory, &view, PyBUF_WRITABLE)
    memcpy(_address(grown), view.buf, min(view.len, size))
    PyBuffer_Release(&view)
    return grown


cdef inline object grown_ints(object memory, Py_ssize_t count):
    return _grown(memory, count * sizeof(int))


cdef inline object grown_longs(object memory, Py_ssize_t count):
    return _grown(memory, count * sizeof(long long))


cdef inline int *ints(object memory) except NULL:
    return <int *>_address(memory)


cdef inline long long *longs(object memory) except NULL:
    return <long long *>_address(memory)
