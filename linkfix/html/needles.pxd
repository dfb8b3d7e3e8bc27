# The search of needles.py as functions in C.
cimport cython
from libc.string cimport memcmp

from linkfix.html.python_api cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from linkfix.html.cells cimport ints

@cython.final
cdef class Needles:
    cdef list needles
    cdef Py_ssize_t shortest
    cdef object shifts


cdef inline list c_first(bytes data, Py_ssize_t end, list needles, const int *shifts, Py_ssize_t shortest):
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t count = len(needles), at = shortest - 2, begin, size, i
    cdef list found = [-1] * count
    cdef int shift
    cdef bytes needle
    if end > PyBytes_GET_SIZE(data):
        end = PyBytes_GET_SIZE(data)
    while at + 1 < end:
        shift = shifts[(text[at] << 4 ^ text[at + 1]) & 4095]
        if shift:
            at += shift
            continue
        begin = at + 2 - shortest
        for i in range(count):
            needle = <bytes>needles[i]
            size = PyBytes_GET_SIZE(needle)
            if (
                text[begin] == <unsigned char>PyBytes_AS_STRING(needle)[0]
                and begin + size <= end
                and found[i] == -1
                and memcmp(text + begin, PyBytes_AS_STRING(needle), size) == 0
            ):
                found[i] = begin
        at += 1
    return found
