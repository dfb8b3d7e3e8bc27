cimport cython

from linkfix.kernels.bytesearch cimport find_byte, find_member, is_ascii
from linkfix.kernels.constants cimport APOSTROPHE, EQUALS, GREATER_THAN, HYPHEN, LESS_THAN, NUMBER_SIGN, SPACE_CHARACTER
from linkfix.kernels.edits cimport Edits
from linkfix.kernels.names cimport NameTable

cdef int ODD, PLAIN, ALPHA, SLASH, DOT, COLON, QUESTION, HASH, AMPERSAND, PERCENT, DIGIT, ENCODED
cdef int PLUS, ZERO, TWO, UPPER_Z, VERTICAL_LINE, DELETE, FIRST_NON_ASCII
cdef int LOWER_A, LOWER_E, LOWER_G, LOWER_L, LOWER_M, LOWER_P, LOWER_T, SEMICOLON
cdef int PATH, QUERY, FRAGMENT, FILE_SCHEME, LONGEST_SCHEME, LARGEST_PORT, HTTP_PORT, HTTPS_PORT
cdef Py_ssize_t RESOLVE, LEAVE, PREFIX, SKIP, NUMBER, SCHEME, ROOT, PAGE, DOCUMENT, NO_PATH, FOLDER
cdef bytes BYTES, HOST_BYTES, REST, WRITTEN, HTTP, HTTPS, FILE
cdef bytes LABEL_STOPS, LOWER_LABEL_STOPS, PATH_STOPS, QUERY_STOPS, FRAGMENT_STOPS, OPAQUE_STOPS
cdef NameTable SPECIAL, LEGACY

cdef Py_ssize_t name_end(bytes data, Py_ssize_t at, Py_ssize_t end) noexcept

@cython.locals(at=Py_ssize_t)
cdef bint needs_no_path(bytes data, Py_ssize_t start, Py_ssize_t end, bint has_root) noexcept

@cython.final
cdef class PlainReferences:
    cdef bint fragments, escaped, escapes
    cdef list texts
    cdef Py_ssize_t deepest

    @cython.locals(end=Py_ssize_t, target=object, lowered=bytes)
    cpdef object target(self, bytes reference, object encode=*)

    @cython.locals(verdict=Py_ssize_t)
    cdef object _unedited_target(self, bytes reference, Py_ssize_t end)

    @cython.locals(at=Py_ssize_t, special=int)
    cdef bytes _lowered(self, bytes reference, Py_ssize_t end)

    @cython.locals(edits=Edits, verdict=Py_ssize_t)
    cdef object _edited_target(self, bytes reference, Py_ssize_t end, object encode)

    @cython.locals(number=Py_ssize_t, verdict=Py_ssize_t)
    cdef Py_ssize_t write(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1

    @cython.locals(first=int, at=Py_ssize_t)
    cdef Py_ssize_t classify(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1

    @cython.locals(at=Py_ssize_t, up=Py_ssize_t, length=int, after=Py_ssize_t)
    cdef Py_ssize_t _dotted(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1

    @cython.locals(at=Py_ssize_t, special=int, slashes=int)
    cdef Py_ssize_t _absolute(
        self, bytes data, Py_ssize_t start, Py_ssize_t colon, Py_ssize_t end, Edits edits
    ) except -1

    @cython.locals(at=Py_ssize_t)
    cdef bint _is_scheme(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, label=Py_ssize_t, port=int, stops=bytes)
    cdef Py_ssize_t _host_end(self, bytes data, Py_ssize_t start, Py_ssize_t end, bint serialized) noexcept

    @cython.locals(kind=int)
    cdef bint _is_no_dot_segment(self, bytes data, Py_ssize_t at, Py_ssize_t end) noexcept

    @cython.locals(at=Py_ssize_t, part=int, stops=bytes, kind=int, byte=int, length=Py_ssize_t, slashed=bint)
    cdef bint _rest_is_plain(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1

    @cython.locals(after=Py_ssize_t, length=Py_ssize_t, is_known=bint)
    cdef Py_ssize_t _ampersand_length(self, bytes data, Py_ssize_t at, Py_ssize_t end) except -1

    @cython.locals(at=Py_ssize_t, length=Py_ssize_t)
    cdef Py_ssize_t _after(self, bytes text, bytes data, Py_ssize_t start, Py_ssize_t end) noexcept

    @cython.locals(at=Py_ssize_t)
    cdef bint is_serialized_http(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1

    @cython.locals(at=Py_ssize_t, is_drive=bint)
    cdef bint is_serialized(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1

    @cython.locals(at=Py_ssize_t, host=Py_ssize_t, kind=int, length=Py_ssize_t, of_query=Edits)
    cdef bint _is_of_other_scheme(self, bytes data, Py_ssize_t start, Py_ssize_t end, Edits edits) except -1
