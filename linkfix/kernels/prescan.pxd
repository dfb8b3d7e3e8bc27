cimport cython

from linkfix.kernels.bytesearch cimport begins_with, find_byte
from linkfix.kernels.constants cimport EQUALS, EXCLAMATION_MARK, GREATER_THAN, LESS_THAN, QUESTION_MARK, SLASH
from linkfix.kernels.names cimport NameTable
from linkfix.kernels.tokenizer cimport EOF, START, Tokenizer

cdef int SPACE, SPACE_OR_SLASH, ENDS_NAME, ENDS_UNQUOTED, QUOTE, ALPHA
cdef bytes CLASS
cdef dict UTF_16_XML, REPLACEMENTS
cdef NameTable HEAD_TAGS
cdef int META_TAG, SCRIPT_TAG, STYLE_TAG, TITLE_TAG, LAST_END_TAG
cdef object CHARSET, UNQUOTED_END, XML_ENCODING, get_encoding

@cython.locals(unknown=list, utf_16=str)
cpdef tuple prescan(bytes data, Py_ssize_t end)

@cython.locals(tokenizer=Tokenizer, kind=int, name=int, declaration=object, _=object)
cpdef object prescan_head(bytes data, Py_ssize_t end)

@cython.locals(at=Py_ssize_t, after=Py_ssize_t)
cpdef bint may_declare(bytes data, Py_ssize_t end) except -1

@cython.locals(at=Py_ssize_t, following=int, found=object)
cdef object _scan(bytes data, Py_ssize_t end, list unknown)

cdef bint _is_meta(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.locals(name_start=Py_ssize_t, name_end=Py_ssize_t, _=Py_ssize_t)
cdef Py_ssize_t _skip_tag(bytes data, Py_ssize_t at, Py_ssize_t end) except -2

@cython.locals(name=Py_ssize_t, name_end=Py_ssize_t, value=Py_ssize_t)
cdef (Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t) _get_an_attribute(
    bytes data, Py_ssize_t at, Py_ssize_t end)

@cython.locals(name_start=Py_ssize_t, name_end=Py_ssize_t, value=Py_ssize_t, value_end=Py_ssize_t, charset=Py_ssize_t,
               charset_end=Py_ssize_t, content=Py_ssize_t, content_end=Py_ssize_t, pragma=Py_ssize_t,
               pragma_end=Py_ssize_t, length=Py_ssize_t)
cdef tuple _meta(bytes data, Py_ssize_t at, Py_ssize_t end, list unknown)

@cython.locals(found=object, after=object)
cdef object _extract(bytes data, Py_ssize_t start, Py_ssize_t end, list unknown)

@cython.locals(declaration_end=Py_ssize_t, at=Py_ssize_t, found=object)
cpdef object get_an_xml_encoding(bytes data, Py_ssize_t end, list unknown)

@cython.locals(label=bytes, name=str)
cdef object _get_an_encoding(bytes data, Py_ssize_t start, Py_ssize_t end, str origin, list unknown)
