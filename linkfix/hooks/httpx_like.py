"""The common part of the hooks for httpx and httpx2, which have the same classes. It imports neither."""

from __future__ import annotations

from types import TracebackType
from typing import Any, ClassVar, Generic, Self, TypeVar, Unpack, cast

from linkfix.hooks.response import (
    Outcome,
    Response,
    SettingFields,
    Settings,
    absolutize,
    library_of,
    log_once,
    settings,
    unprocessed,
    wrong_argument,
)

_Inner = TypeVar("_Inner")
_Request = TypeVar("_Request")
_Answer = TypeVar("_Answer")


def decoded_codings(client: Any) -> frozenset[str]:
    """The content codings that a library's clients accept and decode, which depend on installed packages."""
    return frozenset({"", "identity", *client.headers["accept-encoding"].split(", ")})


class AbsolutizedMixin:
    """The methods of responses whose body has absolute links once it is read."""

    linkfix: Outcome | None = None
    """The result of the hook; None before the body is read."""
    _settings: Settings
    _decoded: ClassVar[frozenset[str]]
    """The content codings that the library decodes."""

    @classmethod
    def of(cls, response: Any, request: Any, settings: Settings) -> Self:
        """Copy the response for a request, since a transport may return one response to many requests."""
        own = cls.__new__(cls)
        vars(own).update(vars(response), _settings=settings)
        cast("Any", own).request = request
        return own

    def read(self) -> bytes:
        """Read the whole body, with absolute links."""
        super().read()  # type: ignore[misc]
        return self._absolutize()

    async def aread(self) -> bytes:
        """Read the whole body, with absolute links."""
        await super().aread()  # type: ignore[misc]
        return self._absolutize()

    def __reduce__(self) -> tuple[Any, ...]:
        own = cast("Any", self)
        state = {name: value for name, value in own.__getstate__().items() if name not in {"linkfix", "_settings"}}
        return object.__new__, (type(self).__mro__[2],), state

    def _absolutize(self) -> bytes:
        own = cast("Any", self)
        if self.linkfix is None:
            encoding = own.headers.encoding
            headers = tuple((name.decode(encoding), value.decode(encoding)) for name, value in own.headers.raw)
            self.linkfix = outcome = self._outcome(headers)
            if outcome.declared_codec and "_encoding" not in vars(self):
                own.encoding = outcome.declared_codec
            if outcome.body is not own._content:  # noqa: SLF001 - the libraries have no public way to set it
                own._content = outcome.body  # noqa: SLF001
                vars(self).pop("_text", None)
            if outcome.headers is not headers:
                own.headers = type(own.headers)(outcome.headers, encoding)
        return cast("bytes", own._content)  # noqa: SLF001

    def _outcome(self, headers: tuple[tuple[str, str], ...]) -> Outcome:
        own = cast("Any", self)
        body: bytes = own._content  # noqa: SLF001
        history = tuple(str(hop.url) for hop in own.history if hop.has_redirect_location)
        codings = {coding.lower() for coding in own.headers.get_list("content-encoding", split_commas=True)}
        response = Response(body, str(own.url), headers, history, coded=not codings <= self._decoded)
        return (unprocessed if own.has_redirect_location else absolutize)(response, self._settings)


class _Wrapping(Generic[_Inner]):
    """The settings and the inner transport of a transport."""

    _response_class: ClassVar[type[AbsolutizedMixin]]
    _method: ClassVar[str]
    """The name of the method that sends requests."""
    _other: ClassVar[tuple[str, str]]
    """The class and the method for transports of the other kind, sync or async."""

    def __init__(self, inner: _Inner | None = None, **fields: Unpack[SettingFields]) -> None:
        self._settings = settings(**fields)
        if inner is None:
            log_once("hook-transport")
        else:
            self._check(inner)
        self.inner: _Inner = self._default() if inner is None else inner

    def _default(self) -> _Inner:
        """Make the default inner transport."""
        raise NotImplementedError

    def _check(self, inner: object) -> None:
        """Raise TypeError if a value cannot be the inner transport."""
        own, given = library_of(self), library_of(inner)
        is_foreign = given not in {own, ""}
        if not is_foreign and not isinstance(inner, type) and callable(getattr(inner, self._method, None)):
            return
        name, (other, method) = type(self).__name__, self._other
        meant = None
        if not hasattr(inner, "build_request"):  # a client belongs to `install`
            if hasattr(inner, self._method):
                meant = f"linkfix.hooks.{given}.{name}" if is_foreign else None
            elif hasattr(inner, method):
                meant = f"linkfix.hooks.{given or own}.{other}"
        expected = f"a transport of {own} with {self._method}()"
        call = f"linkfix.hooks.{own}.{name}"
        raise wrong_argument(call, expected, inner, meant)

    def _wrap(self, response: Any, request: Any) -> Any:
        if not request.extensions.get("linkfix", True):
            return response
        if isinstance(response, AbsolutizedMixin):
            log_once("hook-twice", str(request.url))
            return response
        return self._response_class.of(response, request, self._settings)


class TransportMixin(_Wrapping[_Inner], Generic[_Inner, _Request, _Answer]):
    """The methods of transports for synchronous clients."""

    _method = "handle_request"
    _other = ("AsyncTransport", "handle_async_request")

    def handle_request(self, request: _Request) -> _Answer:
        """Send a request; the links of the response become absolute when it is read."""
        return cast("_Answer", self._wrap(cast("Any", self.inner).handle_request(request), request))

    def close(self) -> None:
        """Close the inner transport."""
        cast("Any", self.inner).close()

    def __enter__(self) -> Self:
        cast("Any", self.inner).__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        cast("Any", self.inner).__exit__(exc_type, exc_value, traceback)


class AsyncTransportMixin(_Wrapping[_Inner], Generic[_Inner, _Request, _Answer]):
    """The methods of transports for asynchronous clients."""

    _method = "handle_async_request"
    _other = ("Transport", "handle_request")

    async def handle_async_request(self, request: _Request) -> _Answer:
        """Send a request; the links of the response become absolute when it is read."""
        return cast("_Answer", self._wrap(await cast("Any", self.inner).handle_async_request(request), request))

    async def aclose(self) -> None:
        """Close the inner transport."""
        await cast("Any", self.inner).aclose()

    async def __aenter__(self) -> Self:
        await cast("Any", self.inner).__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await cast("Any", self.inner).__aexit__(exc_type, exc_value, traceback)


def install_in(client: Any, wrap: type[Any] | None, name: str, **fields: Unpack[SettingFields]) -> None:
    """Wrap the transports of a client of either library.

    `wrap`: the class of the transports; None raises TypeError, because the client is not one of `linkfix.hooks.NAME`.
    """
    if wrap is None:
        expected = f"{name}.Client or {name}.AsyncClient"
        call = f"linkfix.hooks.{name}.install"
        raise wrong_argument(call, expected, client, example=f"{name}.Client()")

    def wrapped(transport: Any) -> Any:
        if transport is None:  # a mount that uses the client's own transport
            return None
        return wrap(transport.inner if isinstance(transport, wrap) else transport, **fields)

    # The libraries have no public access to the transports of a client.
    client._transport = wrapped(client._transport)  # noqa: SLF001
    client._mounts = {pattern: wrapped(mount) for pattern, mount in client._mounts.items()}  # noqa: SLF001
