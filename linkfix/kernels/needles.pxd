# The search of needles.py as functions in C.
cimport cython
from libc.string cimport memchr, memcmp, memset

from linkfix.kernels.memory cimport ints
from linkfix.kernels.python_api cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

cdef extern from *:
    """
    #define LINKFIX_BLOCK 64
    """
    const Py_ssize_t BLOCK "LINKFIX_BLOCK"

@cython.final
cdef class Needles:
    cdef list needles
    cdef bytes pairs
    cdef object offsets


# Mark in `seen` the offsets in a block at which a pair begins; return whether any does. The loops have no branches and
# a known length, so that compilers turn them into instructions that compare many bytes at once.
cdef inline bint mark_pairs(
    const unsigned char *block, const unsigned char *pairs, Py_ssize_t size, unsigned char *seen
) noexcept:
    cdef unsigned char one, other, found = 0
    cdef Py_ssize_t at, i
    memset(seen, 0, BLOCK)
    for at in range(0, size, 2):
        one, other = pairs[at], pairs[at + 1]
        for i in range(BLOCK):
            seen[i] = <unsigned char>(seen[i] | ((block[i] == one) & (block[i + 1] == other)))
    for i in range(BLOCK):
        found |= seen[i]
    return found != 0


cdef inline list c_first(bytes data, Py_ssize_t end, list needles, bytes pairs, const int *offsets):
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef const unsigned char *wanted = <const unsigned char *>PyBytes_AS_STRING(pairs)
    cdef const unsigned char *mark
    cdef unsigned char seen[BLOCK]
    cdef Py_ssize_t count = len(needles), block = 0, size, at, begin, i
    cdef list found = [-1] * count
    cdef bytes needle
    if end > PyBytes_GET_SIZE(data):
        end = PyBytes_GET_SIZE(data)
    while block + 1 < end:
        size = min(BLOCK, end - 1 - block)
        if size < BLOCK:
            memset(seen, 1, size)
        elif not mark_pairs(text + block, wanted, PyBytes_GET_SIZE(pairs), seen):
            block += size
            continue
        at = 0
        while True:
            mark = <const unsigned char *>memchr(seen + at, 1, size - at)
            if mark == NULL:
                break
            at = mark - seen
            for i in range(count):
                needle = <bytes>needles[i]
                begin = block + at - offsets[i]
                if (
                    begin >= 0
                    and begin + PyBytes_GET_SIZE(needle) <= end
                    and text[begin] == <unsigned char>PyBytes_AS_STRING(needle)[0]
                    and found[i] == -1
                    and memcmp(text + begin, PyBytes_AS_STRING(needle), PyBytes_GET_SIZE(needle)) == 0
                ):
                    found[i] = begin
            at += 1
        block += size
    return found
