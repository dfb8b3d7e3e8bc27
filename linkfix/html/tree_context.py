"""The part of tree construction (HTML §13.2.6) that tokenization and the meaning of elements depend on.

A tokenizer alone cannot be right: the text of `<title>` is RCDATA in HTML and markup in SVG; `<![CDATA[` exists only in
foreign content; a `p` start tag inside `svg` ends the SVG; a `base` inside a `template` does not set the base URL.
Outside SVG and MathML all of that follows from the tag's name, and there is no stack: only counts of the open elements
of each name, and of the open templates. From an `svg` or `math` start tag on, a stack of open elements says whether the
current node is foreign, an integration point, or HTML content inside one.

A `noscript` in the head ends where anything comes that a head cannot hold; one in the body has its end tag, and closes
what is open in it. So the context knows whether the body has begun (§13.2.6.4.4, §13.2.6.4.5), for which it is told of
text.

A frameset takes the body's place as long as nothing came that shows in a body (the *frameset-ok flag*, §13.2.4.5). From
then on all start tags are dropped but those of frames and of noframes, and their text is markup (§13.2.6.4.20 to
§13.2.6.4.22): there is no way back into a body.

Foster parenting, the list of active formatting elements and implied end tags are left out: on valid pages they move no
tag into or out of foreign content. Searches of the stack are limited to 512 elements, the depth of the trees that Blink
builds, so that no input makes them quadratic.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:
    from linkfix.html import no_cython as cython

if not cython.compiled:
    from linkfix.html.cells import grown_cells, ints

__all__ = ["FLAGS", "NAMES_IN_HEAD", "NAMES_NOT_FRAMESET_OK", "TreeContext"]

HTML, SVG, MATHML = 0, 1, 2
DROPPED = 3  # in place of a namespace: the start tag makes no element
NAMESPACE = 3  # the bits of a node's kind that hold its namespace
HTML_INTEGRATION_POINT = 4  # an HTML integration point
TEXT_INTEGRATION_POINT = 8  # a MathML text integration point
SCOPE_BOUND = (
    16  # a foreign element that is special and bounds scopes (§13.2.4.2): those that can be integration points
)

SEARCH_DEPTH = 512
UNKNOWN_SLOTS = 256  # the counts that names without a number share come before those of the others

RAW_TEXT = 1  # its text ends at its own end tag (RAWTEXT and RCDATA)
SCRIPT = 2
PLAINTEXT = 4
BREAKOUT = 8  # its start tag ends foreign content (§13.2.6.5)
VOID = 16
SPECIAL = 32  # HTML elements of the category "special" (§13.2.4.2)
SCOPE = 64  # bounds "has an element in scope"
TABLE = 128  # its end tag searches the table scope, which only table and template bound
SVG_INTEGRATION_POINT = 256
MATH_INTEGRATION_POINT = 512
TEMPLATE = 1024
SVG_ROOT = 2048
MATH_ROOT = 4096
ANNOTATION = 8192
FONT = 16384
GLYPH = 32768  # mglyph, malignmark: foreign even at a text integration point
P_OR_BR = 65536  # their end tags end foreign content too
OUTERMOST = 131072  # around all other elements: inside an svg or math element their tags open and close nothing
FORM = 262144  # its end tag takes it from the stack alone, and closes nothing inside it (§13.2.6.4.7)
NOSCRIPT = 524288
IN_HEAD = 1048576  # its start tag does not begin the body (§13.2.6.4.4)
IN_HEAD_NOSCRIPT = 2097152  # nor does it end a noscript in the head (§13.2.6.4.5)
ENDS_HEAD = 4194304  # its end tag ends the head, and but for the head's own begins the body
NOT_FRAMESET_OK = 8388608  # its start tag sets the frameset-ok flag to "not ok" (§13.2.6.4.7)
INPUT = 16777216  # so does its own, unless its type is hidden
FRAMESET = 33554432
IN_FRAMESET = 67108864  # its start tag is not dropped in a frameset or after one
META = 134217728
HEAD = 268435456

NAMES_IN_HEAD = "html head base basefont bgsound link meta title noscript noframes style script template"
NAMES_NOT_FRAMESET_OK = (
    "applet area body br button dd dt embed hr iframe image img keygen li listing marquee object pre select"
    " table template textarea wbr xmp"
)

_ELEMENTS = (
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
    (SVG_INTEGRATION_POINT, "foreignobject desc title"),
    (MATH_INTEGRATION_POINT, "mi mo mn ms mtext"),
    (TEMPLATE, "template"),
    (SVG_ROOT, "svg"),
    (MATH_ROOT, "math"),
    (ANNOTATION, "annotation-xml"),
    (FONT, "font"),
    (GLYPH, "mglyph malignmark"),
    (P_OR_BR, "p br"),
    (OUTERMOST, "html head body frameset"),
    (FORM, "form"),
    (NOSCRIPT, "noscript"),
    (IN_HEAD, NAMES_IN_HEAD),
    (IN_HEAD_NOSCRIPT, "html head basefont bgsound link meta noscript noframes style"),
    (ENDS_HEAD, "html head body br"),
    (NOT_FRAMESET_OK, NAMES_NOT_FRAMESET_OK),
    (INPUT, "input"),
    (FRAMESET, "frameset"),
    (IN_FRAMESET, "html frameset frame noframes"),
    (META, "meta"),
    (HEAD, "head"),
)


def _flags() -> dict[str, int]:
    flags: dict[str, int] = {}
    for bit, names in _ELEMENTS:
        for name in names.split():
            flags[name] = flags.get(name, 0) | bit
    # These get numbers, so that their end tags find the elements that they close.
    for name in ("a", "b", "i", "u", "em", "span", "strong", "code", "small", "big", "s", "tt", "font", "label", "g"):
        flags.setdefault(name, 0)
    return flags


#: An element's name -> the bits above. An element's number is the index of its flags in `TreeContext.flags`.
FLAGS = _flags()


class TreeContext:
    """The open elements, as far as they matter. Elements are numbers: indexes of `flags`, or negative hashes of names.

    `foreign`: the adjusted current node is not in the HTML namespace. `templates`: the number of open HTML templates.
    `before_body`: no body has begun yet. `frameset_ok`: the frameset-ok flag. `in_frameset`: a frameset has
    begun, and perhaps ended. `needs_text`: the next text can change one of these.
    """

    def __init__(self, flags: array[int]) -> None:
        lengths = (64, 64, UNKNOWN_SLOTS + len(flags))
        self.memory: list[array[int]] = [flags, *[array("i", bytes(4 * length)) for length in lengths]]
        self.flags: array[int] = ints(self.memory[0])
        self.numbers: array[int] = ints(self.memory[1])
        self.kinds: array[int] = ints(self.memory[2])
        self.open_counts: array[int] = ints(self.memory[3])
        self.capacity: int = 64
        self.depth: int = 0
        self.templates: int = 0
        self.foreign: bool = False
        self.before_body: bool = True
        self.after_head: bool = False  # of use before the body alone, as the next
        self.in_head_noscript: bool = False
        self.frameset_ok: bool = True
        self.in_frameset: bool = False
        self.needs_text: bool = True

    def text(self, visible: bool) -> None:
        """Process text that is not white space. `visible`: it is not only that and U+0000."""
        if not self.templates:
            self.before_body = False
        if visible:
            self.frameset_ok = False
        self.needs_text = self.before_body or self.frameset_ok

    def start(self, number: int, self_closing: bool, decisive: bool) -> int:
        """Process a start tag; return the element's namespace (0 HTML, 1 SVG, 2 MathML), or DROPPED.

        `decisive`: it is a `font` with color, face or size, or an `annotation-xml` whose encoding makes it an HTML
        integration point (§13.2.6), or an `input` of type hidden, which has to be told as long as `frameset_ok` is set.
        """
        flags = self.flags[number] if number >= 0 else 0
        if self.before_body and not self.templates and self._is_head_noscript(flags):
            return HTML
        if self.depth:
            kind = self.kinds[self.depth - 1]
            if kind & NAMESPACE and not self._is_html_start(kind, flags):
                if not (flags & BREAKOUT or (flags & FONT and decisive)):
                    if not self_closing:
                        self._push(number, self._foreign_kind(kind & NAMESPACE, flags, decisive))
                    return kind & NAMESPACE
                self._break_out()
        if (self.frameset_ok or self.in_frameset) and self._is_dropped(flags, decisive):
            return DROPPED
        if flags & (SVG_ROOT | MATH_ROOT):
            kind = SVG if flags & SVG_ROOT else MATHML
            if not self_closing:
                self._push(number, kind)
            return kind
        if not flags & VOID and not (self.depth and flags & OUTERMOST):
            if flags & TEMPLATE:
                self.templates += 1
            if self.depth:
                self._push(number, HTML)
            else:
                self.open_counts[UNKNOWN_SLOTS + number if number >= 0 else -number & 255] += 1
        return HTML

    def _is_head_noscript(self, flags: int) -> bool:
        """Process a start tag before the body; say whether it is a noscript's, which is no open element."""
        if not flags & IN_HEAD or (self.after_head and flags & NOSCRIPT):
            self.before_body = False
            self.needs_text = self.frameset_ok
            if flags & FRAMESET:  # §13.2.6.4.6: here the frameset-ok flag does not matter
                self._begin_frameset()
        elif not flags & IN_HEAD_NOSCRIPT:
            self.in_head_noscript = False
        elif flags & NOSCRIPT:
            self.in_head_noscript = True
            return True
        return False

    def _is_dropped(self, flags: int, decisive: bool) -> bool:
        """Process an HTML start tag as far as framesets go; say whether it makes no element."""
        if self.in_frameset:
            return not flags & IN_FRAMESET
        if flags & FRAMESET:
            self._begin_frameset()
        elif flags & NOT_FRAMESET_OK or (flags & INPUT and not decisive):
            self.frameset_ok = False
            self.needs_text = self.before_body
        return False

    def _begin_frameset(self) -> None:
        """A frameset takes the body's place, and that of all that is in it."""
        self._pop_to(0)
        self.in_frameset = True
        self.frameset_ok = False
        self.needs_text = False

    def _is_html_start(self, kind: int, flags: int) -> bool:
        """§13.2.6: whether the rules for HTML content apply to a start tag in a foreign node of that kind."""
        if kind & HTML_INTEGRATION_POINT:
            return True
        if kind & TEXT_INTEGRATION_POINT:
            return not flags & GLYPH
        return bool(flags & SVG_ROOT and self.flags[max(self.numbers[self.depth - 1], 0)] & ANNOTATION)

    def _foreign_kind(self, namespace: int, flags: int, decisive: bool) -> int:
        if namespace == SVG:
            return SVG | (HTML_INTEGRATION_POINT | SCOPE_BOUND if flags & SVG_INTEGRATION_POINT else 0)
        if flags & MATH_INTEGRATION_POINT:
            return MATHML | TEXT_INTEGRATION_POINT | SCOPE_BOUND
        if flags & ANNOTATION:
            return MATHML | SCOPE_BOUND | (HTML_INTEGRATION_POINT if decisive else 0)
        return MATHML

    def _push(self, number: int, kind: int) -> None:
        depth = self.depth
        if depth == self.capacity:
            self.capacity = 2 * depth
            self.memory[1] = grown_cells(self.memory[1], self.capacity)
            self.memory[2] = grown_cells(self.memory[2], self.capacity)
            self.numbers = ints(self.memory[1])
            self.kinds = ints(self.memory[2])
        self.numbers[depth] = number
        self.kinds[depth] = kind
        self.depth = depth + 1
        self.foreign = bool(kind & NAMESPACE)

    def _pop_to(self, depth: int) -> None:
        """Pop elements until `depth` are left."""
        while self.depth > depth:
            self.depth -= 1
            number = self.numbers[self.depth]
            if not self.kinds[self.depth] & NAMESPACE and number >= 0 and self.flags[number] & TEMPLATE:
                self.templates -= 1
        while self.depth and not self.numbers[self.depth - 1]:
            self.depth -= 1  # a form that was taken out
        self.foreign = bool(self.depth and self.kinds[self.depth - 1] & NAMESPACE)

    def _break_out(self) -> None:
        """§13.2.6.5: pop elements until the current node is an integration point or an HTML element."""
        depth = self.depth
        while depth:
            kind = self.kinds[depth - 1]
            if not kind & NAMESPACE or kind & (HTML_INTEGRATION_POINT | TEXT_INTEGRATION_POINT):
                break
            depth -= 1
        self._pop_to(depth)

    def end(self, number: int) -> None:
        """Process an end tag."""
        flags = self.flags[number] if number >= 0 else 0
        if self.in_frameset:
            return
        if self.before_body and not self.templates:
            if flags & NOSCRIPT:
                self.in_head_noscript = False
            elif flags & ENDS_HEAD and not (self.in_head_noscript and flags & OUTERMOST):
                if flags & HEAD:
                    self.after_head = True
                else:
                    self.before_body = False
                    self.needs_text = self.frameset_ok
        if flags & P_OR_BR:
            if self.foreign:
                self._break_out()
            if flags & ENDS_HEAD and self.frameset_ok:  # "</br>" is a br's start tag
                self.frameset_ok = False
                self.needs_text = self.before_body
        if not self.depth:
            self._close_below_stack(number, flags)
            return
        index = self.depth - 1
        lowest = max(self.depth - SEARCH_DEPTH, 0)
        passed = 0  # the bits of the kinds of the elements that the search has left behind
        if self.foreign:
            # §13.2.6.5 "any other end tag": up to the next HTML element
            while index >= lowest and self.kinds[index] & NAMESPACE:
                if self.numbers[index] == number:
                    self._pop_to(index)
                    return
                passed |= self.kinds[index]
                index -= 1
        self._close_in_stack(number, flags, index, lowest, passed)

    def _close_in_stack(self, number: int, flags: int, index: int, lowest: int, passed: int) -> None:
        """Process an end tag by the rules for HTML content, from the current node down to stack[lowest].

        The elements above stack[index] are foreign, and have the bits `passed` in their kinds.
        """
        bound = SPECIAL
        if flags & TEMPLATE:
            bound = 0
        elif flags & TABLE:
            bound = TEMPLATE
        elif flags & SPECIAL:
            bound = SCOPE
        foreign_bound = SCOPE_BOUND if bound & (SPECIAL | SCOPE) else 0
        if passed & foreign_bound:
            return
        while index >= lowest:
            if self.kinds[index] & NAMESPACE:
                if self.kinds[index] & foreign_bound:
                    return
            else:
                if self.numbers[index] == number:
                    if flags & FORM and not self.templates and index < self.depth - 1:
                        self.numbers[index] = 0  # no element's number
                    else:
                        self._pop_to(index)
                    return
                if self.flags[max(self.numbers[index], 0)] & bound:
                    return
            index -= 1
        if index < 0:
            self._close_below_stack(number, flags)

    def _close_below_stack(self, number: int, flags: int) -> None:
        """Process an end tag of an element that was open before the stack; only a form's does not close all of it."""
        if flags & (OUTERMOST | VOID):
            return
        slot = UNKNOWN_SLOTS + number if number >= 0 else -number & 255
        if self.open_counts[slot] > 0:
            self.open_counts[slot] -= 1
            if flags & FORM and not self.templates:
                return
            if self.depth:
                self._pop_to(0)
            if flags & TEMPLATE:
                self.templates -= 1
