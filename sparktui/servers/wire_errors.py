"""An HTTP answer that is no stream, or an error inside one, as one clear sentence and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from sparktui.core.delta import StreamError
from sparktui.errors import RunFailedError, SparkError, UnreachableError
from sparktui.servers.error_shapes import Overflow, error_in, is_loading, is_web_page, message_of, overflow_in, refuses_options, shortened
from sparktui.servers.url import without_secrets

__all__ = [
    "ContextOverflowError", "error_in", "explain_http", "explain_stream", "is_loading", "is_web_page", "overflow_in", "refuses_options",
    "retry_after_s",
]  # fmt: skip

_NAMES = {
    "tabbyapi": "TabbyAPI", "llamacpp": "llama.cpp", "vllm": "vLLM", "sglang": "SGLang", "ollama": "Ollama", "lmstudio": "LM Studio",
    "demo": "The demo server",
}  # fmt: skip
_TABBY = ("tabbyapi", "demo")
_NO_MODEL = re.compile(r"no models? (?:is |are )?(?:currently )?loaded", re.IGNORECASE)
_LISTED = 8


class ContextOverflowError(RunFailedError):
    """The prompt (and the answer asked for) does not fit the server's context; numbers in tokens where the server names them."""

    def __init__(self, title: str, *, overflow: Overflow, hint: str) -> None:
        super().__init__(title, hint=hint)
        self.n_prompt = overflow.n_prompt
        self.n_ctx = overflow.n_ctx


class _Reply(Struct, frozen=True, kw_only=True):
    """An answer as the explanations below need it. `name` is the server's, `said` its message as a trailing part of a sentence."""

    status: int
    body: bytes
    content_type: str
    kind: str
    name: str
    message: str
    found: Any
    key_header: str
    url: str
    model: str
    served: Sequence[str]
    location: str
    retry_after: str

    @property
    def said(self) -> str:
        return f"(HTTP {self.status}: {self.message})" if self.message else f"(HTTP {self.status})"


def explain_http(
    status: int,
    body: bytes,
    kind: str = "",
    *,
    content_type: str = "",
    retry_after: str = "",
    key_header: str = "",
    url: str = "",
    model: str = "",
    served: Sequence[str] = (),
    location: str = "",
) -> SparkError:
    """What an HTTP answer means. The title holds status and the server's own message, the hint says what to do.

    `key_header`: name of the header the key went in ("" = none was sent); the key itself is never needed here. `url`: what was asked,
    `model`: the name sent, `served`: names the server lists, `location` and `retry_after`: the headers of those names.
    """
    message, found = message_of(body)
    reply = _Reply(
        status=status, body=body, content_type=content_type, kind=kind, name=_NAMES.get(kind, "The server"), message=message, found=found,
        key_header=key_header, url=without_secrets(url), model=model, served=served, location=location, retry_after=retry_after,
    )  # fmt: skip
    for explanation in _EXPLANATIONS:
        if (error := explanation(reply)) is not None:
            return error
    hint = "See the server's own log for the reason." if status >= 500 else "The server does not accept this request; check the parameters."
    return RunFailedError(f"{reply.name} refused the request {reply.said}.", hint=hint)


def explain_stream(error: StreamError, kind: str = "") -> SparkError:
    """An error the server put into a stream or a 200 answer."""
    message = shortened(error.message)
    overflow = overflow_in(message, {"code": error.code})
    if overflow is not None:
        return _too_long(overflow, f"({message})")
    code = f" (code {shortened(error.code)})" if error.code and error.code not in message else ""
    return RunFailedError(
        f"{_NAMES.get(kind, 'The server')} broke off with an error: {message.rstrip('.')}{code}.", hint="See the server's own log."
    )


def retry_after_s(value: str) -> float | None:
    """Seconds of a Retry-After header that gives a number, else None (a date is not read)."""
    text = value.strip()
    return float(text) if re.fullmatch(r"\d{1,6}(?:\.\d+)?", text) else None


def _redirect(reply: _Reply) -> SparkError | None:
    if not 300 <= reply.status < 400:
        return None
    target = without_secrets(reply.location) or "an address it does not name"
    return UnreachableError(
        f"The server redirects to {target} (HTTP {reply.status}), which is not followed.",
        hint="If that is your server, use it as the base URL; a key is never sent along to another address.",
    )


def _web_page(reply: _Reply) -> SparkError | None:
    if reply.status not in (200, 201, 404, 405) or not is_web_page(reply.body, reply.content_type):
        return None
    return UnreachableError(
        f"{reply.url or 'The address'} answers with a web page, not an API (HTTP {reply.status}).",
        hint="Check the base URL: it ends in /v1 on most servers, in /api on Open WebUI.",
    )


def _key_refused(reply: _Reply) -> SparkError | None:
    if reply.status not in (401, 403):
        return None
    if reply.key_header:
        title = f"{reply.name} refused the key sent in the {reply.key_header} header {reply.said}."
        hint = "Check the key (api_key in config.yml or SPARKTUI_API_KEY)."
    else:
        title = f"{reply.name} wants an API key and none was sent {reply.said}."
        hint = "Set SPARKTUI_API_KEY, or api_key or api_key_file in config.yml."
    return UnreachableError(title, hint=hint)


def _overflow(reply: _Reply) -> SparkError | None:
    overflow = overflow_in(reply.message, reply.found) if reply.status in (400, 413, 422, 500) else None
    return None if overflow is None else _too_long(overflow, reply.said)


def _too_long(overflow: Overflow, said: str) -> SparkError:
    numbers = f": {overflow.n_prompt} tokens, and the context holds {overflow.n_ctx}" if overflow.n_prompt and overflow.n_ctx else ""
    return ContextOverflowError(
        f"The prompt does not fit{numbers} {said}.", overflow=overflow,
        hint="Use a shorter prompt or fewer max_tokens, or load the model with a larger context.",
    )  # fmt: skip


def _not_found(reply: _Reply) -> SparkError | None:
    if reply.status not in (404, 405):
        return None
    if "model" in reply.message.lower():
        names = ", ".join(list(reply.served)[:_LISTED]) + (" …" if len(reply.served) > _LISTED else "")
        hint = f"It serves: {names}." if names else "Set the model to a name the server lists under /v1/models."
        asked = f" {reply.model!r}" if reply.model else ""
        return RunFailedError(f"{reply.name} does not have the model{asked} {reply.said}.", hint=hint)
    return UnreachableError(
        f"{reply.name} has nothing at {reply.url or 'this path'} {reply.said}.",
        hint="Check the base URL: it ends in /v1 on most servers, in /api on Open WebUI.",
    )


def _slow_down(reply: _Reply) -> SparkError | None:
    if reply.status != 429:
        return None
    wait_s = retry_after_s(reply.retry_after)
    wait = f" and says to wait {wait_s:g} s" if wait_s is not None else f" until {reply.retry_after}" if reply.retry_after else ""
    return RunFailedError(f"{reply.name} asks to slow down{wait} {reply.said}.", hint="Wait, then run again; use a lower --parallel.")


def _no_model(reply: _Reply) -> SparkError | None:
    silent_500 = reply.status == 500 and reply.kind in _TABBY and reply.found is None
    if not silent_500 and not (reply.status >= 400 and _NO_MODEL.search(reply.message)):
        return None
    if silent_500:
        title = f"{reply.name} failed without a reason {reply.said}, as it does when no model is loaded."
    else:
        title = f"{reply.name} has no model loaded {reply.said}."
    return UnreachableError(title, hint="Load a model on the server, then try again; its own log says more.")


def _not_ready(reply: _Reply) -> SparkError | None:
    if is_loading(reply.status, reply.body):
        return UnreachableError(f"{reply.name} is still loading the model {reply.said}.", hint="Wait until it is loaded, then try again.")
    if reply.status in (502, 504):
        return UnreachableError(
            f"A proxy answers, but the server behind it does not {reply.said}.", hint="Start the server, or correct the proxy's target."
        )
    if reply.status == 503:
        return UnreachableError(f"{reply.name} is not available {reply.said}.", hint="Look at the server's own log, then try again.")
    return None


def _bad_field(reply: _Reply) -> SparkError | None:
    if reply.status not in (400, 422):
        return None
    return RunFailedError(
        f"{reply.name} refused a part of the request {reply.said}.", hint="Check the parameters in the prompt's params and the options."
    )


_EXPLANATIONS: tuple[Callable[[_Reply], SparkError | None], ...] = (
    _redirect, _web_page, _key_refused, _overflow, _not_found, _slow_down, _no_model, _not_ready, _bad_field,
)  # fmt: skip
