# The functions of bytesearch.py in C for compiled modules, which cimport them: no module of this name is compiled.
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy

from linkfix.kernels.constants cimport (
    AMPERSAND, APART, APOSTROPHE, ASTERISK, AT_SIGN, BACKSLASH, CARRIAGE_RETURN, EXCLAMATION_MARK, FORM_FEED,
    JOINED, LEFT_PARENTHESIS, LESS_THAN, LINE_FEED, QUESTION_MARK, QUOTATION_MARK, SLASH, SPACE_CHARACTER, TAB, UNCLEAR,
)
from linkfix.kernels.python_api cimport (
    PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE, PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND,
)

cdef inline bint is_ascii_letter(int byte) noexcept:
    return c'a' <= (byte | 0x20) <= c'z'


cdef inline Py_ssize_t find_byte(bytes data, int byte, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef const void *found
    if start >= end:
        return end
    found = memchr(text + start, byte, end - start)
    if found == NULL:
        return end
    return <const unsigned char *>found - text


cdef inline Py_ssize_t find_markup(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
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


cdef inline uint64_t name_word(bytes data, Py_ssize_t start, Py_ssize_t length) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data) + start
    cdef uint64_t word = 0
    cdef Py_ssize_t i = 0
    if start + 8 <= PyBytes_GET_SIZE(data):  # as for nearly all: the compiler makes one load of these
        word = (
            <uint64_t>text[0] | <uint64_t>text[1] << 8 | <uint64_t>text[2] << 16 | <uint64_t>text[3] << 24
            | <uint64_t>text[4] << 32 | <uint64_t>text[5] << 40 | <uint64_t>text[6] << 48 | <uint64_t>text[7] << 56
        )
        return word & ((<uint64_t>1 << 8 * length) - 1) if length < 8 else word
    while i < length and i < 8:
        word |= <uint64_t>text[i] << 8 * i
        i += 1
    return word


cdef inline int name_slot(uint64_t word) noexcept:
    return ((word | <uint64_t>0x2020202020202020) * <uint64_t>0xA0761D6478BD642F) >> 54


cdef inline bint is_name(bytes data, Py_ssize_t start, bytes names, Py_ssize_t at, Py_ssize_t length) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data) + start
    cdef const unsigned char *name = <const unsigned char *>PyBytes_AS_STRING(names) + at
    cdef Py_ssize_t i = 0
    cdef int byte
    cdef uint16_t two, last_two, name_two, name_last_two
    cdef uint32_t first, last, name_first, name_last
    # Most names are short and in lower case: compare their first and last bytes, which overlap.
    if length == 2 or length == 3:
        memcpy(&two, text, 2)
        memcpy(&last_two, text + length - 2, 2)
        memcpy(&name_two, name, 2)
        memcpy(&name_last_two, name + length - 2, 2)
        if two == name_two and last_two == name_last_two:
            return True
    elif 4 <= length <= 8:
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
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
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
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t count = 0
    while start < end:
        count += (text[start] & 0xC0) != 0x80  # not a continuation byte
        start += 1
    return count


cdef inline Py_ssize_t count_utf_8(bytes data, Py_ssize_t start, Py_ssize_t end) noexcept:
    # Unicode, table 3-7, "Well-Formed UTF-8 Byte Sequences".
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t count = 0
    cdef uint64_t eights[4]
    cdef int byte, second, low, high, length
    while start < end:
        if start + 32 <= end:
            memcpy(eights, text + start, 32)
            if not (eights[0] | eights[1] | eights[2] | eights[3]) & <uint64_t>0x8080808080808080:
                start += 32
                count += 32
                continue
        if start + 8 <= end:
            memcpy(eights, text + start, 8)
            if not eights[0] & <uint64_t>0x8080808080808080:
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


cdef inline Py_ssize_t count_joined(bytes data, Py_ssize_t start, Py_ssize_t end, bytes table) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef const unsigned char *kinds = <const unsigned char *>PyBytes_AS_STRING(table)
    cdef Py_ssize_t count = 0
    cdef int kind
    while start < end:
        if text[start] >= 0x80 and start + 1 < end:
            kind = kinds[(text[start] - 0x80) * 256 + text[start + 1]]
            if kind == UNCLEAR:
                return -1
            start += kind == JOINED
        start += 1
        count += 1
    return count


cdef inline Py_ssize_t find_member(bytes data, Py_ssize_t at, Py_ssize_t end, bytes table) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef const unsigned char *members = <const unsigned char *>PyBytes_AS_STRING(table)
    while at + 4 <= end:
        if members[text[at]]:
            return at
        if members[text[at + 1]]:
            return at + 1
        if members[text[at + 2]]:
            return at + 2
        if members[text[at + 3]]:
            return at + 3
        at += 4
    while at < end and not members[text[at]]:
        at += 1
    return at


cdef inline bint begins_with(bytes data, Py_ssize_t at, Py_ssize_t end, const char *word) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t i = 0
    cdef int byte
    while word[i]:
        if at + i >= end:
            return False
        byte = text[at + i]
        if c'A' <= byte <= c'Z':
            byte |= 0x20
        if byte != word[i]:
            return False
        i += 1
    return True


cdef inline bint is_ascii(bytes data, Py_ssize_t at, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef uint64_t eight
    while at + 8 <= end:
        memcpy(&eight, text + at, 8)
        if eight & <uint64_t>0x8080808080808080:
            return False
        at += 8
    while at < end:
        if text[at] & 0x80:
            return False
        at += 1
    return True


cdef inline bint is_newline(int byte) noexcept:
    return byte == LINE_FEED or byte == FORM_FEED or byte == CARRIAGE_RETURN


cdef inline bint is_hex(int byte) noexcept:
    return c'0' <= byte <= c'9' or c'a' <= (byte | 0x20) <= c'f'


cdef inline bint is_css_name(int byte) noexcept:
    return (
        c'a' <= (byte | 0x20) <= c'z' or c'0' <= byte <= c'9' or byte == c'-' or byte == c'_' or byte >= 0x80
        or byte == 0
    )


cdef inline Py_ssize_t escape_end(const unsigned char *text, Py_ssize_t at, Py_ssize_t end, bint in_string) noexcept:
    # The end of the escape after the backslash before `at`. In a string, a newline may be escaped.
    cdef Py_ssize_t first = at
    while at < end and at < first + 6 and is_hex(text[at]):
        at += 1
    if at == end:
        return at
    if at == first:
        at += 1
        return at + (in_string and text[first] == CARRIAGE_RETURN and at < end and text[at] == LINE_FEED)
    if text[at] == CARRIAGE_RETURN and at + 1 < end and text[at + 1] == LINE_FEED:
        return at + 2
    return at + (text[at] == SPACE_CHARACTER or text[at] == TAB or is_newline(text[at]))


cdef inline Py_ssize_t css_name_end(bytes data, Py_ssize_t at, Py_ssize_t end) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    while at < end:
        if text[at] == BACKSLASH:
            if at + 1 < end and is_newline(text[at + 1]):
                return at
            at = escape_end(text, at + 1, end, False)
        elif is_css_name(text[at]):
            at += 1
        else:
            return at
    return at


cdef inline Py_ssize_t css_string_end(const unsigned char *text, Py_ssize_t at, Py_ssize_t end, int quote) noexcept:
    # The end of the string whose text begins at `at`: past its quotation mark, or at the newline that makes it bad.
    cdef int byte
    while at < end:
        byte = text[at]
        if byte == quote:
            return at + 1
        if byte == BACKSLASH:
            at = escape_end(text, at + 1, end, True)
        elif is_newline(byte):
            return at
        else:
            at += 1
    return at


cdef inline Py_ssize_t css_comment_end(const unsigned char *text, Py_ssize_t at, Py_ssize_t end) noexcept:
    # The position past the comment whose text begins at `at`.
    cdef const void *found
    while at < end:
        found = memchr(text + at, ASTERISK, end - at)
        if found == NULL:
            return end
        at = <const unsigned char *>found - text + 1
        if at < end and text[at] == SLASH:
            return at + 1
    return end


cdef inline Py_ssize_t skip_css(bytes data, Py_ssize_t at, Py_ssize_t end, bytes table) noexcept:
    cdef const unsigned char *text = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef int byte
    while True:
        at = find_member(data, at, end, table)
        if at >= end:
            return end
        byte = text[at]
        if byte == QUOTATION_MARK or byte == APOSTROPHE:
            at = css_string_end(text, at + 1, end, byte)
        elif byte == SLASH:
            at += 1
            if at < end and text[at] == ASTERISK:
                at = css_comment_end(text, at + 1, end)
        elif byte == LEFT_PARENTHESIS:
            if at >= 3 and (
                begins_with(data, at - 3, end, "url")
                or begins_with(data, at - 3, end, "src")
                or begins_with(data, at - 3, end, "set")
            ):
                return at
            at += 1
        elif byte == AT_SIGN:
            if begins_with(data, at + 1, end, "import") or begins_with(data, at + 1, end, "namespace"):
                return at
            at += 1
        else:
            return at


cdef inline bytes hide_trails(bytes data, Py_ssize_t start, Py_ssize_t end, bytes table):
    cdef const unsigned char *kinds = <const unsigned char *>PyBytes_AS_STRING(table)
    cdef bytes made = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + start, end - start)
    cdef unsigned char *shown = <unsigned char *>PyBytes_AS_STRING(made)
    cdef Py_ssize_t length = end - start
    cdef Py_ssize_t at = 0
    cdef int kind
    while at + 1 < length:
        if shown[at] >= 0x80:
            kind = kinds[(shown[at] - 0x80) * 256 + shown[at + 1]]
            if kind == UNCLEAR:
                return None
            if kind == JOINED:
                at += 1
                if shown[at] < 0x80:
                    shown[at] = 0xFF
        at += 1
    return made


cdef inline bytes one_byte_each(str text):
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef void *source = PyUnicode_DATA(text)
    cdef bytes made = PyBytes_FromStringAndSize(NULL, length)
    cdef unsigned char *target = <unsigned char *>PyBytes_AS_STRING(made)
    cdef Py_ssize_t at
    if kind == 1:
        memcpy(target, source, length)
    elif kind == 2:
        for at in range(length):
            target[at] = (<uint16_t *>source)[at] if (<uint16_t *>source)[at] < 0x80 else 0xFF
    else:
        for at in range(length):
            target[at] = (<uint32_t *>source)[at] if (<uint32_t *>source)[at] < 0x80 else 0xFF
    return made
