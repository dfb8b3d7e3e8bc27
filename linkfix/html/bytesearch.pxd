# The C bodies of bytesearch.py: other compiled modules cimport these.
from libc.string cimport memchr


cdef inline Py_ssize_t find_byte(bytes data, int byte, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>data
    cdef const void *found
    if start >= end:
        return end
    found = memchr(text + start, byte, end - start)
    if found == NULL:
        return end
    return <const unsigned char *>found - text


cdef inline Py_ssize_t find_markup(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>data
    cdef const void *found
    cdef int following
    while start + 1 < end:
        found = memchr(text + start, 60, end - 1 - start)
        if found == NULL:
            return end
        start = <const unsigned char *>found - text
        following = text[start + 1]
        if 97 <= (following | 32) <= 122 or following == 47 or following == 33 or following == 63:
            return start
        start += 1
    return end


cdef inline bint lacks_references(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    return (
        find_byte(data, 40, start, end) == end
        and find_byte(data, 64, start, end) == end
        and find_byte(data, 38, start, end) == end
    )
