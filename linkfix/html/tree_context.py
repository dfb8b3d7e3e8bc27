"""Just enough of tree construction (HTML §13.2.6) to tokenize and to judge elements as browsers do.

The tokenizer cannot be right alone: `<title>` is RCDATA in HTML and markup in SVG; `<![CDATA[` exists only in foreign
content; a `p` start tag inside `svg` ends the SVG; a `base` inside a `template` is no base. Outside SVG and MathML all
of that follows from the tag's name, and no stack is kept: only how many elements of each name are open, and how many
templates. From an `svg` or `math` start tag on, a stack of open elements says whether the current node is foreign,
an integration point, or HTML content inside one.

What is left out moves no tag into or out of foreign content on any page that an author meant: foster parenting, the
list of active formatting elements, implied end tags. Searches of the stack go 512 elements deep, as deep as the trees
that Blink builds, so that no input makes them quadratic.
"""

from __future__ import annotations

from array import array

__all__ = ["FLAGS", "TreeContext"]

HTML, SVG, MATHML = 0, 1, 2
NAMESPACE = 3  # the bits of a node's kind that hold its namespace
HTML_POINT = 4  # an HTML integration point
TEXT_POINT = 8  # a MathML text integration point

SEARCH_DEPTH = 512
UNKNOWN = 256  # slots that the names without a number share, before those of the others

RAW_TEXT = 1  # its text ends at its own end tag (RAWTEXT and RCDATA)
SCRIPT = 2
PLAINTEXT = 4
BREAKOUT = 8  # its start tag ends foreign content (§13.2.6.5)
VOID = 16
SPECIAL = 32  # §13.2.4.2, of HTML
SCOPE = 64  # bounds "has an element in scope"
TABLE = 128  # is looked for in table scope, which only table and template bound
SVG_POINT = 256
MATH_POINT = 512
TEMPLATE = 1024
SVG_ROOT = 2048
MATH_ROOT = 4096
ANNOTATION = 8192
FONT = 16384
GLYPH = 32768  # mglyph, malignmark: foreign even at a text integration point
PARAGRAPH = 65536  # p, br: their end tags too end foreign content
ROOT = 131072  # html, body: their end tags pop nothing

_MEMBERS = (
    (RAW_TEXT, "iframe noembed noframes style textarea title xmp"),
    (SCRIPT, "script"),
    (PLAINTEXT, "plaintext"),
    (
        BREAKOUT,
        (
            "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu"
            " meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
        ),
    ),
    (VOID, "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr"),
    (
        SPECIAL,
        (
            "address applet area article aside base basefont bgsound blockquote body br button caption center col"
            " colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2"
            " h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu"
            " meta nav noembed noframes noscript object ol p param plaintext pre script search section select"
            " source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp"
        ),
    ),
    (SCOPE, "applet caption html table td th marquee object template"),
    (TABLE, "table tbody tfoot thead tr td th caption"),
    (SVG_POINT, "foreignobject desc title"),
    (MATH_POINT, "mi mo mn ms mtext"),
    (TEMPLATE, "template"),
    (SVG_ROOT, "svg"),
    (MATH_ROOT, "math"),
    (ANNOTATION, "annotation-xml"),
    (FONT, "font"),
    (GLYPH, "mglyph malignmark"),
    (PARAGRAPH, "p br"),
    (ROOT, "html body"),
)


def _flags() -> dict[str, int]:
    flags: dict[str, int] = {}
    for bit, names in _MEMBERS:
        for name in names.split():
            flags[name] = flags.get(name, 0) | bit
    # Formatting elements are known so that their end tags find what they close.
    for name in ("a", "b", "i", "u", "em", "span", "strong", "code", "small", "big", "s", "tt", "font", "label", "g"):
        flags.setdefault(name, 0)
    return flags


#: An HTML element's name -> bits above. The numbers of a TreeContext's names must index these flags.
FLAGS = _flags()


class TreeContext:
    """Follows start and end tags. An element is told by its number: `flags[number]`, or a negative hash when unknown.

    `foreign`: the adjusted current node is not in the HTML namespace. `templates`: how many HTML templates are open.
    """

    def __init__(self, flags: array[int]) -> None:
        self.flags = flags
        self.numbers: array[int] = array("i", bytes(4 * 64))
        self.kinds: array[int] = array("i", bytes(4 * 64))
        self.room: int = 64
        self.depth: int = 0
        self.opens: array[int] = array("i", bytes(4 * (UNKNOWN + len(flags))))
        self.templates: int = 0
        self.foreign: bool = False

    def start(self, number: int, self_closing: bool, marked: bool) -> int:
        """Takes a start tag; returns the element's namespace (0 HTML, 1 SVG, 2 MathML).

        `marked`: it is a `font` with color, face or size, or an `annotation-xml` whose encoding makes it an HTML
        integration point (§13.2.6).
        """
        flags = self.flags[number] if number >= 0 else 0
        if self.depth:
            kind = self.kinds[self.depth - 1]
            if kind & NAMESPACE and not self._is_html_start(kind, flags):
                if not (flags & BREAKOUT or (flags & FONT and marked)):
                    if not self_closing:
                        self._push(number, self._foreign_kind(kind & NAMESPACE, flags, marked))
                    return kind & NAMESPACE
                self._break_out()
        if flags & (SVG_ROOT | MATH_ROOT):
            kind = SVG if flags & SVG_ROOT else MATHML
            if not self_closing:
                self._push(number, kind)
            return kind
        if not flags & VOID:
            if flags & TEMPLATE:
                self.templates += 1
            if self.depth:
                self._push(number, HTML)
            else:
                self.opens[UNKNOWN + number if number >= 0 else -number & 255] += 1
        return HTML

    def _is_html_start(self, kind: int, flags: int) -> bool:
        """§13.2.6: whether a start tag at the foreign node of that kind goes by the rules for HTML content."""
        if kind & HTML_POINT:
            return True
        if kind & TEXT_POINT:
            return not flags & GLYPH
        return bool(flags & SVG_ROOT and self.flags[max(self.numbers[self.depth - 1], 0)] & ANNOTATION)

    def _foreign_kind(self, namespace: int, flags: int, marked: bool) -> int:
        if namespace == SVG:
            return SVG | (HTML_POINT if flags & SVG_POINT else 0)
        if flags & MATH_POINT:
            return MATHML | TEXT_POINT
        return MATHML | (HTML_POINT if flags & ANNOTATION and marked else 0)

    def _push(self, number: int, kind: int) -> None:
        depth = self.depth
        if depth == self.room:
            self.numbers = array("i", bytes(self.numbers) + bytes(4 * depth))
            self.kinds = array("i", bytes(self.kinds) + bytes(4 * depth))
            self.room = 2 * depth
        self.numbers[depth] = number
        self.kinds[depth] = kind
        self.depth = depth + 1
        self.foreign = bool(kind & NAMESPACE)

    def _cut(self, depth: int) -> None:
        """Pops until `depth` elements are left."""
        while self.depth > depth:
            self.depth -= 1
            number = self.numbers[self.depth]
            if not self.kinds[self.depth] & NAMESPACE and number >= 0 and self.flags[number] & TEMPLATE:
                self.templates -= 1
        self.foreign = bool(self.depth and self.kinds[self.depth - 1] & NAMESPACE)

    def _break_out(self) -> None:
        """§13.2.6.5: pops until the current node is an integration point or an HTML element."""
        depth = self.depth
        while depth:
            kind = self.kinds[depth - 1]
            if not kind & NAMESPACE or kind & (HTML_POINT | TEXT_POINT):
                break
            depth -= 1
        self._cut(depth)

    def end(self, number: int) -> None:
        """Takes an end tag."""
        flags = self.flags[number] if number >= 0 else 0
        if self.foreign and flags & PARAGRAPH:
            self._break_out()
        if not self.depth:
            self._close_outer(number, flags)
            return
        index = self.depth - 1
        lowest = max(self.depth - SEARCH_DEPTH, 0)
        if self.foreign:
            # §13.2.6.5 "any other end tag": up to the next HTML element
            while index >= lowest and self.kinds[index] & NAMESPACE:
                if self.numbers[index] == number:
                    self._cut(index)
                    return
                index -= 1
            if index < 0:
                self._close_outer(number, flags)
                return
        self._close_inner(number, flags, index, lowest)

    def _close_inner(self, number: int, flags: int, index: int, lowest: int) -> None:
        """An end tag by the rules for HTML content, from stack[index] down, which an integration point bounds."""
        bound = SPECIAL
        if flags & TEMPLATE:
            bound = 0
        elif flags & TABLE:
            bound = TEMPLATE
        elif flags & SPECIAL:
            bound = SCOPE
        while index >= lowest:
            if self.kinds[index] & NAMESPACE:
                if bound:
                    return
            else:
                if self.numbers[index] == number:
                    self._cut(index)
                    return
                if self.flags[max(self.numbers[index], 0)] & bound:
                    return
            index -= 1
        if flags & TEMPLATE and index < 0:
            self._close_outer(number, flags)

    def _close_outer(self, number: int, flags: int) -> None:
        """An end tag that reaches the elements below the stack: where one of that name is open, all above it close."""
        if flags & (ROOT | VOID):
            return
        slot = UNKNOWN + number if number >= 0 else -number & 255
        if self.opens[slot] > 0:
            self.opens[slot] -= 1
            self._cut(0)
            if flags & TEMPLATE:
                self.templates -= 1
