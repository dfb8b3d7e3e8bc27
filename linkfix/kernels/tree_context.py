"""The part of tree construction (HTML §13.2.6) that tokenization and the meaning of elements depend on.

A tokenizer alone cannot be right: the text of `<title>` is RCDATA in HTML and markup in SVG; `<![CDATA[` exists only in
foreign content; a `p` start tag inside `svg` ends the SVG; a `base` inside a `template` does not set the base URL.
Outside SVG and MathML, the tag's name decides all of this, and no stack is needed. The context only counts the open
elements of each name and the open templates. From an `svg` or `math` start tag on, a stack of open elements tells
whether the current node is foreign, an integration point, or HTML content inside an integration point.

A `noscript` in the head ends at anything that a head cannot hold. A `noscript` in the body ends at its end tag, and
closes the elements open in it. So the context must know whether the body has begun (§13.2.6.4.4, §13.2.6.4.5), and the
scanner reports text to it.

A frameset replaces the body if nothing visible in a body came before it (the *frameset-ok flag*, §13.2.4.5). After
that, all start tags are dropped except the tags of frames and noframes, and the text of the dropped elements is markup
(§13.2.6.4.20 to §13.2.6.4.22). A body cannot begin again.

Foster parenting, the list of active formatting elements and implied end tags are left out: on valid pages they move no
tag into or out of foreign content. Searches of the stack are limited to 512 elements, the depth of the trees that Blink
builds, so that no input makes them quadratic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from linkfix.kernels import no_cython as cython

if not cython.compiled:
    from linkfix.kernels.constants import (
        ANNOTATION,
        BREAKOUT,
        ENDS_HEAD,
        FONT,
        FORM,
        FRAMESET,
        GLYPH,
        HEAD,
        IN_FRAMESET,
        IN_HEAD,
        IN_HEAD_NOSCRIPT,
        INPUT,
        MATH_INTEGRATION_POINT,
        MATH_ROOT,
        NOSCRIPT,
        NOT_FRAMESET_OK,
        OUTERMOST,
        P_OR_BR,
        SCOPE,
        SPECIAL,
        SVG_INTEGRATION_POINT,
        SVG_ROOT,
        TABLE,
        TABLE_ROOT,
        TEMPLATE,
        VOID,
    )
    from linkfix.kernels.memory import grown_ints, ints, new_ints

if TYPE_CHECKING:
    from array import array


HTML, SVG, MATHML = 0, 1, 2
DROPPED = 3  # in place of a namespace: the start tag creates no element
NAMESPACE = 3  # the bits of a node's kind that hold its namespace
HTML_INTEGRATION_POINT = 4  # an HTML integration point
TEXT_INTEGRATION_POINT = 8  # a MathML text integration point
SCOPE_BOUND = (
    16  # a special foreign element that bounds scopes (§13.2.4.2): an element that can be an integration point
)

SEARCH_DEPTH = 512
UNKNOWN_SLOTS = 256  # counts shared by names without a number; they come before the counts of numbered names


class TreeContext:
    """The open elements that matter. Elements are numbers: indexes of `flags`, or negative hashes of names.

    `foreign`: the adjusted current node is not in the HTML namespace. `templates`, `tables`: the number of open HTML
    elements of this kind. `before_body`: no body has begun yet. `frameset_ok`: the frameset-ok flag. `in_frameset`: a
    frameset has begun, and perhaps ended. `needs_text`: the next text can change `before_body` or `frameset_ok`.
    """

    def __init__(self, flags: array[int]) -> None:
        self.memory: list[array[int]] = [flags, new_ints(64), new_ints(64), new_ints(UNKNOWN_SLOTS + len(flags))]
        self.flags: array[int] = ints(self.memory[0])
        self.numbers: array[int] = ints(self.memory[1])
        self.kinds: array[int] = ints(self.memory[2])
        self.open_counts: array[int] = ints(self.memory[3])
        self.capacity: int = 64
        self.depth: int = 0
        self.templates: int = 0
        self.tables: int = 0
        self.foreign: bool = False
        self.before_body: bool = True
        self.after_head: bool = False  # like the next attribute, used only before the body
        self.in_head_noscript: bool = False
        self.frameset_ok: bool = True
        self.in_frameset: bool = False
        self.needs_text: bool = True

    def text(self, visible: bool) -> None:
        """Process text that is not only white space. `visible`: it has characters other than U+0000 too."""
        if not self.templates:
            self.before_body = False
        if visible:
            self.frameset_ok = False
        self.needs_text = self.before_body or self.frameset_ok

    def start(self, number: int, self_closing: bool, decisive: bool) -> int:
        """Process a start tag; return the element's namespace (0 HTML, 1 SVG, 2 MathML), or DROPPED.

        `decisive`: the element is a `font` with color, face or size; an `annotation-xml` whose encoding makes it an
        HTML integration point (§13.2.6); or an `input` of type hidden. The last case matters only while `frameset_ok`
        is set.
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
            elif flags & TABLE_ROOT:
                self.tables += 1
            elif flags & TABLE and not self.tables and not self.templates:
                return HTML  # its end tag closes nothing
            if self.depth:
                self._push(number, HTML)
            else:
                self.open_counts[self._slot(number)] += 1
        return HTML

    def _slot(self, number: int) -> int:
        """The index in `open_counts` for an element's name."""
        return UNKNOWN_SLOTS + number if number >= 0 else -number & 255

    def _is_head_noscript(self, flags: int) -> bool:
        """Process a start tag before the body; return whether it is a noscript in the head.

        A noscript in the head is not counted as an open element.
        """
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
        """Apply the rules for framesets to an HTML start tag; return whether the tag is dropped."""
        if self.in_frameset:
            return not flags & IN_FRAMESET
        if flags & FRAMESET:
            self._begin_frameset()
        elif flags & NOT_FRAMESET_OK or (flags & INPUT and not decisive):
            self.frameset_ok = False
            self.needs_text = self.before_body
        return False

    def _begin_frameset(self) -> None:
        """Replace the body, with all its contents, by a frameset."""
        self._pop_to(0)
        self.in_frameset = True
        self.frameset_ok = False
        self.needs_text = False

    def _is_html_start(self, kind: int, flags: int) -> bool:
        """Whether the rules for HTML content apply to a start tag in a foreign node of this kind (§13.2.6)."""
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
            self.memory[1] = grown_ints(self.memory[1], self.capacity)
            self.memory[2] = grown_ints(self.memory[2], self.capacity)
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
            if not self.kinds[self.depth] & NAMESPACE and number >= 0:
                self._forget(self.flags[number])
        while self.depth and not self.numbers[self.depth - 1]:
            self.depth -= 1  # a form that its end tag removed from the stack
        self.foreign = bool(self.depth and self.kinds[self.depth - 1] & NAMESPACE)

    def _forget(self, flags: int) -> None:
        """Count an HTML element as closed."""
        if flags & TEMPLATE:
            self.templates -= 1
        elif flags & TABLE_ROOT:
            self.tables -= 1

    def _break_out(self) -> None:
        """Pop elements until the current node is an integration point or an HTML element (§13.2.6.5)."""
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
        if not flags and not self.depth and not self.before_body:  # most end tags
            slot = self._slot(number)
            if self.open_counts[slot] > 0:
                self.open_counts[slot] -= 1
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
        passed = 0  # the kinds of the elements that the search has passed, as bits
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

        The elements above stack[index] are foreign. `passed`: the bits of their kinds.
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
                        self.numbers[index] = 0  # not the number of any element
                    else:
                        self._pop_to(index)
                    return
                if self.flags[max(self.numbers[index], 0)] & bound:
                    return
            index -= 1
        if index < 0:
            self._close_below_stack(number, flags)

    def _close_below_stack(self, number: int, flags: int) -> None:
        """Process an end tag of an element that was opened before the stack began.

        It closes the whole stack, except for the end tag of a form.
        """
        if flags & (OUTERMOST | VOID):
            return
        slot = self._slot(number)
        if self.open_counts[slot] > 0:
            self.open_counts[slot] -= 1
            if flags & FORM and not self.templates:
                return
            if self.depth:
                self._pop_to(0)
            self._forget(flags)
