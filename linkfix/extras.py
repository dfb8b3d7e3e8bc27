"""Libraries that are not installed with linkfix: what asks for one, and which extra brings it.

Internal: it can change in any release.
"""

from __future__ import annotations

from types import TracebackType

__all__ = ["Needs"]


class Needs:
    """A context manager for the import of a library: where it is not installed, the error says what to install.

    `module`: what needs it. `library`: its package. `extra`: of linkfix; None: that of the library's name.
    """

    def __init__(self, module: str, library: str, extra: str | None = None) -> None:
        self._module = module
        self._library = library
        self._extra = extra or library

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == self._library:
            message = f"{self._module} needs {self._library}: pip install 'linkfix[{self._extra}]'"
            raise ModuleNotFoundError(message, name=error.name) from error
