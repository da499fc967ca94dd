"""What differs from server to server, as pure functions: request body, event → Delta, probes. No I/O happens here."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, Protocol

from msgspec import Struct, field

from sparktui.core.delta import Delta
from sparktui.core.records import ServerInfo
from sparktui.core.sse import SseEvent


class ChatRequest(Struct, frozen=True, kw_only=True):
    """One prompt to stream. `temperature` None sends none; `max_tokens` None sends none. `schema`: JSON schema for structured output."""

    prompt: str
    model: str
    temperature: int | float | None = None
    max_tokens: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] | None = None
    include_usage: bool = True


class Get(Struct, frozen=True, kw_only=True):
    """One short GET below the server's root (`/props`). `with_key`: only after the server asked for a key."""

    path: str
    timeout_s: float = 1.5
    with_key: bool = False


class Post(Struct, frozen=True, kw_only=True):
    """One POST of JSON below the server's root that is no prompt; the key goes with it, as with a prompt."""

    path: str
    body: dict[str, Any]
    timeout_s: float = 60.0


class Answer(Struct, frozen=True, kw_only=True):
    """What came back. `status` 0 = no answer (refused, timed out); `body` is cut at 1 MB."""

    status: int
    content_type: str = ""
    body: bytes = b""
    server_header: str = ""
    failure: str = ""


class Recognition(Struct, frozen=True, kw_only=True):
    """`kind` of config, or "demo". `seen`: one line a GET, for the doctor. `models`: names served, the loaded one first.

    `reachable` False: no GET got an answer, so `kind` says nothing.
    """

    kind: str
    models: tuple[str, ...] = ()
    version: str = ""
    needs_key: bool = False
    loading: bool = False
    reachable: bool = True
    seen: tuple[str, ...] = ()


Probing = Generator[Get, Answer, Recognition]
Asking = Generator[Get, Answer, ServerInfo]
IdleAsking = Generator[Get, Answer, "IdleState"]
Counting = Generator[Post, Answer, int | None]


class IdleState(Struct, frozen=True):
    """`busy` None = the server cannot say. `source`: slots, metrics."""

    busy: bool | None
    source: str = ""


class Adapter(Protocol):
    """One server kind. `steps_checked`: verify steps = completion − accepted was checked for this server (docs/metrics.md).

    `metrics_path`: where counters can be read, without disturbing it, that tell more of a run than its stream does
    (servers.exposition), "" = nowhere.
    """

    kind: ClassVar[str]
    steps_checked: ClassVar[bool]
    metrics_path: ClassVar[str]

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """The JSON body of POST …/chat/completions."""
        ...

    def decode(self, event: SseEvent) -> Delta:
        """What one stream event says. Never raises: what cannot be read is `garbled`."""
        ...

    def whole(self, body: bytes) -> Delta:
        """What a plain JSON answer (not streamed) says; errors in any of the five shapes included. Never raises."""
        ...

    def describe(self, base_url: str, seen: Recognition) -> Asking:
        """Ask for what is worth recording with a run (model, context, draft, cache); yields GETs, returns the ServerInfo."""
        ...

    def idle(self) -> IdleAsking:
        """Ask whether another request is in flight; yields GETs."""
        ...

    def count_tokens(self, text: str, model: str, *, chat: bool = False) -> Counting:
        """Have the server's own tokenizer count; yields POSTs, returns None where the server has no way to.

        `chat`: as a prompt of one message, its template included where the server can do that.
        """
        ...

    def caching_params(self) -> dict[str, Any]:
        """Body fields that let the server's prefix cache work where the requests of this program keep it out."""
        ...


AdapterTable = Mapping[str, Adapter]
