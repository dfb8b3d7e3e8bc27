# The function of joining.py in C, which compiled modules cimport. No compiled module has this name.
from libc.string cimport memcpy

from linkfix.html.python_api cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE

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
