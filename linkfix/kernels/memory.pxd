# The functions of memory.py in C for compiled modules, which cimport them: no module of this name is compiled.
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from linkfix.kernels.python_api cimport (
    PyBUF_WRITABLE, PyBuffer_Release, PyByteArrayObject, PyByteArray_AS_STRING, PyByteArray_FromStringAndSize,
    PyByteArray_GET_SIZE, PyByteArray_Resize, PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE,
    PyObject_GetBuffer, PyTuple_GET_ITEM, PyTuple_SET_ITEM, PyTypeObject, PyUnicode_DATA, PyUnicode_GET_LENGTH,
    PyUnicode_IS_ASCII, PyUnicode_New, Py_INCREF,
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


cdef inline object new_words(Py_ssize_t count):
    return _zeros(count * sizeof(uint64_t))


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


cdef inline uint64_t *words(object memory) except NULL:
    return <uint64_t *>_address(memory)


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


cdef enum:
    WIDTH = 3


cdef inline bytes join_edits(bytes data, const long long *cells, Py_ssize_t count, list texts):
    # The length is known before the first byte is written, so that no bytes are held twice.
    cdef Py_ssize_t length = PyBytes_GET_SIZE(data)
    cdef Py_ssize_t at = 0, done = 0, end = count * WIDTH, start
    cdef bytes text, joined
    cdef const char *source = PyBytes_AS_STRING(data)
    cdef char *target
    while at < end:
        text = <bytes>texts[cells[at + 2]]
        length += PyBytes_GET_SIZE(text) - (cells[at + 1] - cells[at])
        at += WIDTH
    joined = PyBytes_FromStringAndSize(NULL, length)
    target = PyBytes_AS_STRING(joined)
    at = 0
    while at < end:
        start = cells[at]
        text = <bytes>texts[cells[at + 2]]
        memcpy(target, source + done, start - done)
        target += start - done
        memcpy(target, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
        target += PyBytes_GET_SIZE(text)
        done = cells[at + 1]
        at += WIDTH
    memcpy(target, source + done, PyBytes_GET_SIZE(data) - done)
    return joined


cdef extern from *:
    """
    /* An object of a subclass of tuple. The collector does not look at it, and its fields are still to be set. */
    static CYTHON_INLINE PyObject *linkfix_new_tuple(PyTypeObject *type, Py_ssize_t length) {
        PyTupleObject *made = PyObject_GC_NewVar(PyTupleObject, type, length);
    #if PY_VERSION_HEX >= 0x030E0000
        if (made != NULL) made->ob_hash = -1;  /* not known yet */
    #endif
        return (PyObject *)made;
    }
    """
    object linkfix_new_tuple(PyTypeObject *type_, Py_ssize_t length)


cdef inline void set_field(object made, Py_ssize_t place, object value) noexcept:
    Py_INCREF(value)  # PyTuple_SET_ITEM takes a reference
    PyTuple_SET_ITEM(made, place, value)


cdef inline object new_link(
    object type_, str element, object head, str reference, object target, object base, object start, object end,
    object line, object column, object problem, object tag_start,
):
    # A NamedTuple, filled in place. It refers only to strings and numbers, so the garbage collector need not track it.
    cdef object made = linkfix_new_tuple(<PyTypeObject *>type_, 13)
    set_field(made, 0, element)
    set_field(made, 1, <object>PyTuple_GET_ITEM(head, 1))
    set_field(made, 2, <object>PyTuple_GET_ITEM(head, 2))
    set_field(made, 3, <object>PyTuple_GET_ITEM(head, 3))
    set_field(made, 4, reference)
    set_field(made, 5, target)
    set_field(made, 6, base)
    set_field(made, 7, start)
    set_field(made, 8, end)
    set_field(made, 9, line)
    set_field(made, 10, column)
    set_field(made, 11, problem)
    set_field(made, 12, tag_start)
    return made


cdef inline str ascii_text(bytes data, Py_ssize_t start, Py_ssize_t end):
    # `PlainReferences` has checked that each byte is ASCII.
    cdef str text = PyUnicode_New(end - start, 127)
    memcpy(PyUnicode_DATA(text), PyBytes_AS_STRING(data) + start, end - start)
    return text


cdef inline str prefixed_text(str prefix, bytes data, Py_ssize_t start, Py_ssize_t end):
    # The length is known, so that no bytes are copied twice.
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(prefix)
    cdef str joined
    if not PyUnicode_IS_ASCII(prefix):
        return prefix + ascii_text(data, start, end)
    joined = PyUnicode_New(length + end - start, 127)
    memcpy(PyUnicode_DATA(joined), PyUnicode_DATA(prefix), length)
    memcpy(<char *>PyUnicode_DATA(joined) + length, PyBytes_AS_STRING(data) + start, end - start)
    return joined
