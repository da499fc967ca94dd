"""What one stream event says, after the server's dialect is taken away."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

TextKind = Literal["reasoning", "content", "tool"]
Source = Literal["usage", "timings", "stream", "log", "metrics_endpoint"]
Scope = Literal["request", "interval", "lifetime"]


class TextPart(Struct, frozen=True):
    """Non-empty text of one kind. `tool` text is tool-call name and arguments; `label` is the tool's name where it is given."""

    kind: TextKind
    text: str
    label: str = ""


class ServerFigures(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Figures a server reports about one request, in base units; None = not reported (never 0, never nan).

    Times in seconds, rates in tokens/s. `prompt_tokens` includes cached ones, `new_tokens` does not.
    `verify_steps` only where the server itself counts them. `load_s`: loading the model before it answered.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    queue_s: float | None = None
    prefill_s: float | None = None
    prefill_tok_s: float | None = None
    decode_s: float | None = None
    server_tok_s: float | None = None
    total_s: float | None = None
    draft_accepted: int | None = None
    draft_proposed: int | None = None
    verify_steps: int | None = None
    acceptance_source: Source | None = None
    acceptance_scope: Scope | None = None
    load_s: float | None = None

    def merged(self, later: ServerFigures | None) -> ServerFigures:
        """These figures with every figure that `later` reports put in its place."""
        if later is None:
            return self
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        values.update({name: value for name in self.__struct_fields__ if (value := getattr(later, name)) is not None})
        return ServerFigures(**values)


class PromptProgress(Struct, frozen=True):
    """Prefill progress in prompt tokens (llama.cpp `return_progress`); never text, never the first token."""

    processed: int
    total: int
    cached: int = 0
    elapsed_s: float | None = None


class StreamError(Struct, frozen=True):
    """An error the server put into the stream or the body, in its own words. `code` is its code or HTTP number, as text."""

    message: str
    code: str = ""


class Delta(Struct, frozen=True, kw_only=True):
    """One event of a stream. An event that carries any `parts` is a chunk; every other field may come on any event.

    `tokens_total`: completion tokens generated up to and including this event, where the server says (exact per-event counts).
    `other_choices`: text of choices with an index other than 0, kept out of the answer.
    `invented`: the text is not the model's (a gateway's loading message): shown, never timed or counted.
    `seen_kind`: the server kind this event's shape betrays, or "".
    """

    parts: tuple[TextPart, ...] = ()
    other_choices: tuple[tuple[int, str], ...] = ()
    figures: ServerFigures | None = None
    tokens_total: int | None = None
    finish_reason: str | None = None
    error: StreamError | None = None
    progress: PromptProgress | None = None
    request_id: str = ""
    model: str = ""
    seen_kind: str = ""
    invented: bool = False
    garbled: bool = False
    done: bool = False
