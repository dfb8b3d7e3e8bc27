# The functions of bytesearch.py in C for compiled modules, which cimport them: no module of this name is compiled.
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memchr, memcpy

from linkfix.html.constants cimport AMPERSAND, AT_SIGN, BACKSLASH, EXCLAMATION_MARK, LEFT_PARENTHESIS, LESS_THAN, QUESTION_MARK, SLASH


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
        if text[start] != LESS_THAN:  # tags often follow each other
            found = memchr(text + start, LESS_THAN, end - 1 - start)
            if found == NULL:
                return end
            start = <const unsigned char *>found - text
        following = text[start + 1]
        if is_ascii_letter(following) or following == SLASH or following == EXCLAMATION_MARK or following == QUESTION_MARK:
            return start
        start += 1
    return end


cdef inline int name_slot(Py_ssize_t length, int first, int last) noexcept:
    return (length * 61 + (first | 0x20) * 7 + (last | 0x20) * 31) & 1023


cdef inline bint is_name(bytes data, Py_ssize_t start, bytes names, Py_ssize_t at, Py_ssize_t length) noexcept:
    cdef const unsigned char *text = <const unsigned char *>data + start
    cdef const unsigned char *name = <const unsigned char *>names + at
    cdef Py_ssize_t i = 0
    cdef int byte
    cdef uint32_t first, last, name_first, name_last
    if 4 <= length <= 8:  # most names, mostly in lower case: compare their first and last four bytes
        memcpy(&first, text, 4)
        memcpy(&last, text + length - 4, 4)
        memcpy(&name_first, name, 4)
        memcpy(&name_last, name + length - 4, 4)
        if first == name_first and last == name_last:
            return True
    while i < length:
        byte = text[i]
        if byte != name[i] and not (c'A' <= byte <= c'Z' and byte | 0x20 == name[i]):
            return False
        i += 1
    return True


cdef inline bint lacks_references(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>data
    cdef Py_ssize_t at
    cdef int before
    if find_byte(data, BACKSLASH, start, end) < end or find_byte(data, AMPERSAND, start, end) < end:
        return False
    at = find_byte(data, LEFT_PARENTHESIS, start, end)
    while at < end:
        before = text[at - 1] | 0x20 if at > start else 0
        if before == c'l' or before == c'c' or before == c't':
            return False
        at = find_byte(data, LEFT_PARENTHESIS, at + 1, end)
    at = find_byte(data, AT_SIGN, start, end)
    while at < end:
        if at + 1 < end and text[at + 1] | 0x20 == c'i':
            return False
        at = find_byte(data, AT_SIGN, at + 1, end)
    return True


cdef inline Py_ssize_t count_code_points(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>data
    cdef Py_ssize_t count = 0
    while start < end:
        count += (text[start] & 0xC0) != 0x80  # not a continuation byte
        start += 1
    return count


cdef inline Py_ssize_t count_utf_8(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    # Unicode, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    cdef const unsigned char *text = <const unsigned char *>data
    cdef Py_ssize_t count = 0
    cdef uint64_t eight
    cdef int byte, second, low, high, length
    while start < end:
        if start + 8 <= end:
            memcpy(&eight, text + start, 8)
            if not eight & <uint64_t>0x8080808080808080:
                start += 8
                count += 8
                continue
        byte = text[start]
        length = 1
        if byte >= 0x80:
            if byte < 0xC2 or byte > 0xF4:
                return -1
            length = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            if start + length > end:
                return -1
            second = text[start + 1]
            low = 0xA0 if byte == 0xE0 else 0x90 if byte == 0xF0 else 0x80
            high = 0x9F if byte == 0xED else 0x8F if byte == 0xF4 else 0xBF
            if second < low or second > high:
                return -1
            if length > 2 and text[start + 2] & 0xC0 != 0x80:
                return -1
            if length > 3 and text[start + 3] & 0xC0 != 0x80:
                return -1
        start += length
        count += 1
    return count
