"""The encoding of a document: its name, its source, and the conversion to text and back."""

from __future__ import annotations

import codecs
import contextlib
import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import webencodings
import webencodings.labels

from linkfix.errors import UnknownCharset
from linkfix.lazy import lazy_pattern

# The decoders and encoders of the Encoding standard (https://encoding.spec.whatwg.org/).
#
# They are Python's codecs, with the differences from the standard corrected:
#
# - windows-874, windows-125x: the bytes 80 to 9F that Python leaves undefined are C1 controls; windows-1255 has CA.
# - koi8-u: AE and BE are the Belarusian short u.
# - gbk, gb18030: one decoder, for GB18030-2022, with 80 as the euro sign; two encoders.
# - big5: HKSCS-2008 and the compatibility rows are decoded; the encoder never writes HKSCS.
# - euc-jp, iso-2022-jp: JIS X 0208 as in Windows, with NEC's and IBM's rows; the encoder never writes JIS X 0212.
# - shift_jis: A0 and FD to FF are errors; the encoder never writes NEC's copies of IBM's rows.
# - iso-2022-jp: an escape sequence applies beyond its line; half-width katakana are decoded, and encoded full-width.
# - replacement: any input is one U+FFFD.
# - all multi-byte encodings: an error consumes the bytes that the standard specifies.
#
# Remaining differences: Big5's A2 41 and A2 42 decode to the full-width slashes (like A1 FE and A2 40), not to U+2215
# and U+FE68; EUC-JP's 8F A2 B7 decodes to `~`, not to U+FF5E.


_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

#: The character that `charmap_decode` treats as undefined.
_UNDEFINED = "\ufffe"


class Codec(NamedTuple):
    """An encoding's decoder and encoder. Neither treats byte order marks specially."""

    decode: Callable[[bytes], str]
    """`decode(data)` never raises: errors become U+FFFD."""
    encode: Callable[[str, str], bytes]
    """`encode(text, errors)`; `errors`: the error handler for unencodable characters (`codecs.register_error`)."""


def python_codec(name: str) -> codecs.CodecInfo:
    """Python's codec for the encoding `name`. Raises LookupError for an unknown name."""
    encoding = webencodings.lookup(name)
    if encoding is None:
        message = f"{name!r} is not an encoding of the Encoding standard"
        raise LookupError(message)
    return encoding.codec_info


@functools.cache
def codec(name: str) -> Codec:
    """The codec of the encoding `name` (not a label). Raises LookupError for an unknown name."""
    return _CODECS[name]() if name in _CODECS else _single_byte(name)


def is_single_byte(name: str) -> bool:
    """Whether the encoding `name` decodes each byte to one character."""
    return name not in _CODECS


# Encoding §9, "Legacy single-byte encodings"

_C1 = range(0x80, 0xA0)

_SINGLE_BYTE = {("koi8-u", 0xAE): "ў", ("koi8-u", 0xBE): "Ў", ("windows-1255", 0xCA): "\u05ba"}


def _single_byte(name: str) -> Codec:
    python = python_codec(name)
    characters = []
    for byte in range(256):
        character, _ = python.decode(bytes([byte]), "replace")
        if character == _REPLACEMENT:
            character = chr(byte) if byte in _C1 else _UNDEFINED
        characters.append(_SINGLE_BYTE.get((name, byte), character))
    table = "".join(characters)
    index = _inverse({bytes([byte]): character for byte, character in enumerate(table) if character != _UNDEFINED})
    return Codec(_table_decoder(table), _encoder(lambda: index))


def _table_decoder(table: str) -> Callable[[bytes], str]:
    return lambda data: codecs.charmap_decode(data, "replace", table)[0]


def _encoder(index: Callable[[], Mapping[int, bytes]]) -> Callable[[str, str], bytes]:
    """Return an encoder for a superset of ASCII. `index` is called at first use."""
    index = functools.cache(index)
    return lambda text, errors: text.encode() if text.isascii() else codecs.charmap_encode(text, errors, index())[0]


# Encoding §10 to §13, legacy multi-byte encodings. Their decoders are Python's, with corrections; each encoder's index
# is derived from the decoder.

#: An error of two bytes. An ASCII byte after a lead byte does not belong to the error.
_PAIR = rb"[\x81-\xFE][\x80-\xFF]"


def _sequences(table: str) -> dict[bytes, str]:
    """Parse `hex=characters`: `hex` has the bytes of the first character; each next one has the last byte plus one."""
    sequences: dict[bytes, str] = {}
    for item in table.split(" "):
        first, _, characters = item.partition("=")
        *lead, last = bytes.fromhex(first)
        sequences |= {bytes([*lead, last + place]): character for place, character in enumerate(characters)}
    return sequences


def _inverse(sequences: Mapping[bytes, str]) -> dict[int, bytes]:
    return {ord(character): sequence for sequence, character in sequences.items()}


def _decoder(python: str, corrections: Mapping[bytes, str], error: bytes) -> Callable[[bytes], str]:
    """Python's decoder with `corrections`. `error`: a pattern that matches errors of more than one byte."""
    missing: dict[bytes, str] = {}
    other: dict[int, str] = {}
    for sequence, character in corrections.items():
        decoded = sequence.decode(python, "replace")
        if _REPLACEMENT in decoded:
            missing[sequence] = character
        elif decoded != character:
            other[ord(decoded)] = character
    match_error = re.compile(error).match

    def on_error(exception: UnicodeDecodeError) -> tuple[str, int]:
        data, start = exception.object, exception.start
        for sequence in (data[start : start + 2], data[start : start + 1]):
            if sequence in missing:
                return missing[sequence], start + len(sequence)
        found = match_error(data, start)
        return _REPLACEMENT, found.end() if found else start + 1

    handler = f"linkfix-{python}"
    codecs.register_error(handler, on_error)  # type: ignore[arg-type]  # only decoders are given it
    find_other = re.compile(f"[{re.escape(''.join(map(chr, other)))}]").search if other else None

    def decode(data: bytes) -> str:
        text = data.decode(python, handler)
        # `translate` asks for each character, in the time of ten of Python's decoders.
        return text.translate(other) if find_other is not None and find_other(text) else text

    return decode


def _index(decode: Callable[[bytes], str], leads: Iterable[int]) -> dict[int, bytes]:
    """Code point -> bytes: ASCII, and the first two-byte sequence for each other character."""
    index = {code: bytes([code]) for code in range(0x80)}
    for lead in leads:
        row = decode(b"\n".join(bytes([lead, trail]) for trail in range(0x40, 0xFF)))
        for trail, character in enumerate(row.split("\n"), 0x40):
            if len(character) == 1 and character != _REPLACEMENT:
                index.setdefault(ord(character), bytes([lead, trail]))
    return index


_GB18030 = _sequences(
    "80=€ a3a0=\u3000 a6d9=︐︒︑︓︔︕︖ a6ec=︗︘ a6f3=︙ a8bc=ḿ "
    "fe59=龴 fe61=龵 fe66=龶龷 fe6d=龸 fe7e=龹 fe90=龺 fea0=龻"
)

_GB18030_ERROR = rb"[\x81-\xFE][0-9](?:\Z|[\x81-\xFE](?:\Z|[0-9]))|" + _PAIR

#: Private use characters that the encoder still writes as the sequences that GB18030-2022 reassigned (§10.2.2).
_GB18030_WRITTEN = _sequences(
    "a6d9=\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793 a6ec=\ue794\ue795 a6f3=\ue796 fe59=\ue81e fe61=\ue826 "
    "fe66=\ue82b\ue82c fe6d=\ue832 fe7e=\ue843 fe90=\ue854 fea0=\ue864"
)

_NOT_IN_GB18030 = {0xE5E5, *range(0xD800, 0xE000)}


class _Gb18030Index(dict[int, bytes]):
    """The two-byte index, and four-byte sequences for all other code points (Encoding §10.2.2)."""

    def __missing__(self, code: int) -> bytes:
        if code in _NOT_IN_GB18030:
            raise KeyError(code)
        return chr(code).encode("gb18030")


def _gb(*, gbk: bool) -> Codec:
    decode = _decoder("gb18030", _GB18030, _GB18030_ERROR)

    def index() -> dict[int, bytes]:
        pairs = _index(decode, range(0x81, 0xFF)) | _inverse(_GB18030_WRITTEN)
        return pairs | {ord("€"): b"\x80"} if gbk else _Gb18030Index(pairs | {0xE7C7: b"\x81\x35\xf4\x37"})

    return Codec(decode, _encoder(index))


_BIG5 = _sequences(
    "877a=㡵𡵓𣚞𦀡㻬 87a1=𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇 "
    "87c3=垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋 8e69=箸 8e6f=簆 8e7e=糎 8eab=緒 8eb4=縝 "
    "8ecd=者 8ed0=耨 8f57=菁 8f69=蒨 8f6e=萏 8fcb=覦覩 8ffe=起 906d=都 907a=銹 90dc=靜 90f1=響 91bf=鼖 9244=蔃 "
    "92af=兙兛兝兞 92c8=鍮 92d1=瑹 9447=浧 94ca=禛 95d9=邗 9644=靝 96ed=瀞 96fc=嬨 9b76=爁 9b78=矗 9b7b=纇 "
    "9bc6=駖 9bde=釔 9bec=惞 9bf6=澶 9c42=輶 9c53=侻 9c62=營 9c68=鄄 9c6b=鷰 9c77=菏 9cbc=尐秣 9cd0=婧 9d57=輋 "
    "9d5a=筑 9dc4=拐 9ea9=恢 9eef=痹 9efd=汊 9f60=鬮 9f66=鼗 9fcb=僭 9fd8=弌 a063=蠏 a077=拎 a0d5=瑨 a0df=煢 "
    "a0e4=牐 a145=‧ a14e=﹑ a1c2=¯ a1e3=～ a1f2=⊕⊙ a244=￥ a246=￠￡ a3c0=␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ "
    "c6cf=廴 c6d3=无 c6d5=癶 c6d7=隶 c6de=〃仝 fa5f=倩 fa66=偽 fabd=包 fac5=卄 fad5=卿 fb48=嘅 fbb8=婷 fbf3=幵 "
    "fbf9=廐 fc4f=彘 fc6c=悤 fcb9=撐 fce2=晴 fcf1=杞 fdb7=沜渝 fdbb=港 fdf1=煮 fe52=猪 fe6f=瑜 feaa=瓩 fedd=砉"
)

#: Characters for which the encoder does not use the first sequence (Encoding §5, "index Big5 pointer"), and characters
#: whose decoding still differs.
_BIG5_WRITTEN = _sequences("f9e9=╞ f9ea=╪ f9eb=╡ f9f9=═ a451=十 a4ca=卅 a241=∕﹨")


def _big5() -> Codec:
    decode = _decoder("big5hkscs", _BIG5, _PAIR)
    return Codec(decode, _encoder(lambda: _index(decode, range(0xA1, 0xFF)) | _inverse(_BIG5_WRITTEN)))


def _euc_kr() -> Codec:
    decode = _decoder("cp949", {}, _PAIR)
    return Codec(decode, _encoder(lambda: _index(decode, range(0x81, 0xFF))))


_YEN, _OVERLINE, _MINUS, _FULLWIDTH_MINUS = 0xA5, 0x203E, 0x2212, 0xFF0D

_KATAKANA = range(0xFF61, 0xFFA0)

_SHIFT_JIS_LEADS = [*range(0x81, 0xA0), *range(0xE0, 0xF0)]

_SHIFT_JIS_TRAILS = [*range(0x40, 0x7F), *range(0x80, 0xFD)]


def _shift_jis() -> Codec:
    errors = {bytes([byte]): _REPLACEMENT for byte in b"\xa0\xfd\xfe\xff"}
    decode = _decoder("cp932", errors, rb"[\x81-\x9F\xE0-\xFC][\x80-\xFF]")

    def index() -> dict[int, bytes]:
        pairs = _index(decode, [*range(0x81, 0xA0), *range(0xE0, 0xED), *range(0xFA, 0xFD)])
        pairs |= {code: bytes([byte]) for byte, code in enumerate(_KATAKANA, 0xA1)}
        return pairs | {0x80: b"\x80", _YEN: b"\\", _OVERLINE: b"~", _MINUS: pairs[_FULLWIDTH_MINUS]}

    return Codec(decode, _encoder(index))


def _jis_x_0208() -> dict[bytes, str]:
    """Index jis0208, as pairs of EUC-JP: Windows' JIS X 0208. Python has it only as Shift_JIS (cp932)."""
    pairs = {}
    for pointer, pair in enumerate(itertools.product(_SHIFT_JIS_LEADS, _SHIFT_JIS_TRAILS)):
        row, cell = divmod(pointer, 94)
        character = bytes(pair).decode("cp932", "replace")
        if _REPLACEMENT not in character:
            pairs[bytes([row + 0xA1, cell + 0xA1])] = character
    return pairs


def _euc_jp_decoder() -> Callable[[bytes], str]:
    error = rb"\x8F[\xA1-\xFE][\x80-\xFF]?|[\x8E\x8F\xA1-\xFE][\x80-\xFF]"
    return _decoder("euc_jp", _jis_x_0208(), error)


def _euc_jp_index(decode: Callable[[bytes], str]) -> dict[int, bytes]:
    pairs = _index(decode, range(0xA1, 0xFF))
    return pairs | {_MINUS: pairs[_FULLWIDTH_MINUS]}


def _euc_jp() -> Codec:
    decode = _euc_jp_decoder()

    def index() -> dict[int, bytes]:
        katakana = {code: bytes([0x8E, byte]) for byte, code in enumerate(_KATAKANA, 0xA1)}
        return _euc_jp_index(decode) | katakana | {_YEN: b"\\", _OVERLINE: b"~"}

    return Codec(decode, _encoder(index))


# Encoding §12.2, ISO-2022-JP: ASCII, JIS X 0201 and JIS X 0208, selected by escape sequences. The bytes of JIS X 0208
# are the bytes of EUC-JP without the high bit. The encoder first writes EUC-JP, with 8E before a byte that only JIS X
# 0201 has.

_ESCAPE = lazy_pattern(rb"\x1B(\([BJI]|\$[@B])")

_CONTROLS = frozenset(b"\x0e\x0f\x1b")  # SHIFT OUT, SHIFT IN, ESCAPE: never characters

_GRAPHIC = range(0x21, 0x7F)

_TO_EUC = bytes(byte | 0x80 if byte in _GRAPHIC else byte if byte in b"\x1b" else 0x80 for byte in range(256))

_FROM_EUC = bytes(byte & 0x7F for byte in range(256))

_ASCII = "".join(_UNDEFINED if code in _CONTROLS else chr(code) for code in range(0x80))

_ROMAN = _ASCII.translate({ord("\\"): _YEN, ord("~"): _OVERLINE})

_HALFWIDTH = _UNDEFINED * 0x21 + "".join(map(chr, _KATAKANA))

#: The half-width sound marks -> the spacing sound marks, as which they are encoded; compatibility equivalents differ.
_SOUND_MARKS = {0xFF9E: 0x309B, 0xFF9F: 0x309C}

#: A run of characters of one set. A Roman run includes ASCII except the backslash and the tilde, so that no escape
#: sequence is written for them (Encoding §12.2.2, step 5).
_RUN = lazy_pattern(
    rb"(?P<ascii>[\x00-\x7F]+)|(?P<roman>\x8E.(?:\x8E.|[^\\~\x80-\xFF])*)|(?P<jis>(?:[\xA1-\xFE].)+)", re.DOTALL
)

_RUN_ESCAPES = {"ascii": b"\x1b(B", "roman": b"\x1b(J", "jis": b"\x1b$B"}


def _iso_2022_jp_decoder(euc: Callable[[bytes], str]) -> Callable[[bytes], str]:
    def jis(data: bytes) -> str:
        return euc(data.translate(_TO_EUC)).replace("\x1b", _REPLACEMENT)

    decoders = {
        b"(B": _table_decoder(_ASCII),
        b"(J": _table_decoder(_ROMAN),
        b"(I": _table_decoder(_HALFWIDTH),
        b"$@": jis,
        b"$B": jis,
    }

    def decode(data: bytes) -> str:
        first, *rest = _ESCAPE.split(data)
        out = [decoders[b"(B"](first)]
        for place in range(0, len(rest), 2):
            escape, run = rest[place : place + 2]
            if place and not rest[place - 1]:  # two adjacent escape sequences are an error
                out.append(_REPLACEMENT)
            out.append(decoders[escape](run))
        return "".join(out)

    return decode


def _iso_2022_jp_index(euc: Callable[[bytes], str]) -> dict[int, bytes]:
    index = _euc_jp_index(euc)
    for code in _KATAKANA:
        index[code] = index[_SOUND_MARKS.get(code) or ord(unicodedata.normalize("NFKC", chr(code)))]
    index |= {_YEN: b"\x8e\\", _OVERLINE: b"\x8e~"}
    return {code: sequence for code, sequence in index.items() if code not in _CONTROLS}


def _iso_2022_jp() -> Codec:
    euc = _euc_jp_decoder()
    index = functools.cache(lambda: _iso_2022_jp_index(euc))

    def encode(text: str, errors: str) -> bytes:
        out, state = [], "ascii"
        for run in _RUN.finditer(codecs.charmap_encode(text, errors, index())[0]):
            charset, data = str(run.lastgroup), run.group()
            if charset != state:
                out.append(_RUN_ESCAPES[charset])
                state = charset
            out.append(data.replace(b"\x8e", b"") if charset == "roman" else data.translate(_FROM_EUC))
        if state != "ascii":
            out.append(_RUN_ESCAPES["ascii"])
        return b"".join(out)

    return Codec(_iso_2022_jp_decoder(euc), encode)


def _python(name: str) -> Codec:
    return Codec(lambda data: data.decode(name, "replace"), lambda text, errors: text.encode(name, errors))


#: The name of each encoding that is not single-byte -> the function that returns its codec.
_CODECS: dict[str, Callable[[], Codec]] = {
    "utf-8": lambda: _python("utf-8"),
    "utf-16le": lambda: _python("utf-16-le"),
    "utf-16be": lambda: _python("utf-16-be"),
    "gbk": lambda: _gb(gbk=True),
    "gb18030": lambda: _gb(gbk=False),
    "big5": _big5,
    "euc-jp": _euc_jp,
    "iso-2022-jp": _iso_2022_jp,
    "shift_jis": _shift_jis,
    "euc-kr": _euc_kr,
    "replacement": lambda: Codec(lambda data: _REPLACEMENT if data else "", _python("utf-8").encode),
}


EncodingSource: TypeAlias = Literal[
    "bom", "transport", "xml-declaration", "meta", "css-charset", "identified", "default", "str"
]

"""The source that decides a document's encoding, in the order of HTML §13.2.3.2. "identified": a label that a crawler
found (WARC-Identified-Payload-Type); "str": the document was already text.
"""

#: The encodings whose second byte can be in 40 to 7E, and whose fourth byte in 30 to 39 (Encoding §10 to §14).
_ASCII_TRAILS = frozenset({"gbk", "gb18030", "big5", "shift_jis", "euc-kr"})

_NOT_ASCII_COMPATIBLE = frozenset({"utf-16le", "utf-16be", "iso-2022-jp", "replacement"})


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a document."""

    name: str
    """The Encoding standard's name in lower case: "windows-1252", "utf-16le"."""
    source: EncodingSource
    """The source that decides the encoding."""
    where: str
    """The source in words, with its position: "meta charset at byte 57"."""
    bom: int = 0
    """The length of the byte order mark in bytes, 0 to 3. The mark is not part of the text."""
    problems: tuple[tuple[str, str, int], ...] = ()
    """The problems of the declaration: code of `linkfix.model.PROBLEMS`, message, byte offset."""

    @property
    def codec(self) -> str:
        """The name of Python's closest codec. The results of `decode` and `encode` may differ from this codec's."""
        return python_codec(self.name).name

    @property
    def ascii_compatible(self) -> bool:
        """Whether the bytes 00 to 7F always are ASCII characters in markup."""
        return self.name not in _NOT_ASCII_COMPATIBLE

    @property
    def has_ascii_trails(self) -> bool:
        """Whether a byte that looks like an ASCII character can be a later byte of another character."""
        return self.name in _ASCII_TRAILS or self.name in _NOT_ASCII_COMPATIBLE

    @property
    def name_if_trailing(self) -> str:
        """The name if `has_ascii_trails`, else "": the `encoding` of `ByteSpans`."""
        return self.name if self.has_ascii_trails else ""

    @property
    def single_byte(self) -> bool:
        """Whether each byte is one character."""
        return is_single_byte(self.name)

    def decode(self, data: bytes) -> str:
        """The text of `data` as browsers decode it, with U+FFFD for errors. Never raises; keeps a byte order mark.

        If the document is a str, a lone surrogate is one error, and a surrogate pair is the character it encodes.
        """
        text = codec(self.name).decode(data)
        if self.source == "str" and "\ufffd" in text:
            with contextlib.suppress(UnicodeDecodeError):  # an excerpt can begin or end within a character
                surrogates = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
                return surrogates.decode("utf-16-le", "replace")
        return text

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """The bytes of `text` by the standard's encoder; UTF-16 is encoded as UTF-16, replacement as UTF-8.

        `errors`: a name known to `codecs.register_error`. Raises UnicodeEncodeError if `errors` is "strict" and the
        encoding lacks a character of the text.
        """
        return codec(self.name).encode(text, errors)


#: The encoding of a document that is a `str`: its links are resolved like those of a UTF-8 document.
STR = Encoding("utf-8", "str", "the document is text")


def to_utf8(text: str) -> bytes:
    """The text in UTF-8. Lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def decode_reversibly(data: bytes, encoding: Encoding) -> str | None:
    """The text of `data` without its byte order mark; None if encoding the text would not restore the same bytes.

    Otherwise `data[:encoding.bom] + encoding.encode(text) == data`.
    """
    body = data[encoding.bom :]
    text = encoding.decode(body)
    return text if encoding.encode(text, "replace") == body else None


# Labels of encodings (https://encoding.spec.whatwg.org/#names-and-labels).


_NAMES = {label.encode(): name for label, name in webencodings.labels.LABELS.items()}


def get_encoding(label: bytes | str) -> str | None:
    """The lower-case name of the encoding that `label` names, or None (Encoding §4.2 "get an encoding")."""
    if isinstance(label, str):
        name = webencodings.labels.LABELS.get(label)
        if name is not None:  # as most labels are written
            return name
        label = label.encode("utf-8", "replace")
    return _NAMES.get(label.strip(b"\t\n\f\r ").lower())


def lookup(label: str) -> str:
    """The name of the encoding that a caller's `label` names. Raises UnknownCharset if it names none.

    >>> lookup(" Latin1")
    'windows-1252'
    """
    name = get_encoding(label)
    if name is None:
        message = f"{label!r} is not a label of the Encoding standard: use one such as 'utf-8' or 'windows-1252'"
        raise UnknownCharset(message)
    return name
