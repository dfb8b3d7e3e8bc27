# The functions of bytesearch.py in C for compiled modules, which cimport them: no module of this name is compiled.
from libc.string cimport memchr

from linkfix.html.constants cimport AMPERSAND, AT_SIGN, EXCLAMATION_MARK, LEFT_PARENTHESIS, LESS_THAN, QUESTION_MARK, SLASH


cdef inline bint is_ascii_letter(int byte) noexcept:
    return c'a' <= (byte | 0x20) <= c'z'


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
        found = memchr(text + start, LESS_THAN, end - 1 - start)
        if found == NULL:
            return end
        start = <const unsigned char *>found - text
        following = text[start + 1]
        if is_ascii_letter(following) or following == SLASH or following == EXCLAMATION_MARK or following == QUESTION_MARK:
            return start
        start += 1
    return end


cdef inline bint lacks_references(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    return (
        find_byte(data, LEFT_PARENTHESIS, start, end) == end
        and find_byte(data, AT_SIGN, start, end) == end
        and find_byte(data, AMPERSAND, start, end) == end
    )
