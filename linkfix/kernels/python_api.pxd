# The functions of Python's C API that compiled modules call. Cython's own declarations are in files that include other
# files, and Cython would read all of them for each module.
cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        pass

    ctypedef struct PyByteArrayObject:
        Py_ssize_t ob_alloc

    int PyBUF_WRITABLE
    int PyObject_GetBuffer(object data, Py_buffer *view, int flags) except -1
    void PyBuffer_Release(Py_buffer *view)

    char *PyByteArray_AS_STRING(object data)
    Py_ssize_t PyByteArray_GET_SIZE(object data)
    bytearray PyByteArray_FromStringAndSize(const char *data, Py_ssize_t size)
    int PyByteArray_Resize(object data, Py_ssize_t size) except -1

    char *PyBytes_AS_STRING(object data)
    Py_ssize_t PyBytes_GET_SIZE(object data)
    bytes PyBytes_FromStringAndSize(const char *data, Py_ssize_t size)

    void Py_INCREF(object value)
    void *PyTuple_GET_ITEM(object made, Py_ssize_t at)  # borrowed
    void PyTuple_SET_ITEM(object made, Py_ssize_t at, object value)

    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)
    int PyUnicode_KIND(object text)
    str PyUnicode_New(Py_ssize_t length, Py_UCS4 largest)
    Py_UCS4 PyUnicode_READ(int kind, void *data, Py_ssize_t at)
