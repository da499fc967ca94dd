"""How many tokens a text is for this server: by its own tokenizer, else by the usage of one short request, else by its characters."""

from __future__ import annotations

from typing import Protocol

import msgspec

from sparktui.core.needle import first_line, haystack
from sparktui.core.sse import SseParser
from sparktui.engine.server.target import Target
from sparktui.errors import SparkError
from sparktui.io.http.exchange import Stop
from sparktui.io.http.failures import StoppedError
from sparktui.servers.base import ChatRequest, Counting

# up to here a text is counted whole; a longer one by slices from all over it
WHOLE_CHARACTERS = 800_000
_SLICES = 24
_SLICE_CHARACTERS = 8_000
_SAMPLE_CHARACTERS = 8_000
_ANSWER_TOKENS = 8
# what a chat template adds, where nobody can say
_TEMPLATE_TOKENS = 10
STRAW_CHARS_PER_TOKEN = 4.2


class TokenCounter(Protocol):
    """`counted_by`: tokenizer, usage or characters. `estimated`: the counts are worth an ≈."""

    counted_by: str
    estimated: bool

    def tokens(self, text: str) -> int:
        """Tokens of a piece of text. Raises StoppedError."""
        ...

    def prompt_tokens(self, text: str) -> int:
        """Tokens of a prompt, the chat template around it included. Raises StoppedError."""
        ...


class ServerCounter:
    """Asks the server's tokenizer; a long text is counted from slices spread over it, which is within 0.2 % for text of one kind."""

    counted_by = "tokenizer"
    estimated = False

    def __init__(self, target: Target, stop: Stop) -> None:
        self._target = target
        self._stop = stop
        self._ratio = STRAW_CHARS_PER_TOKEN

    def tokens(self, text: str) -> int:
        if len(text) <= WHOLE_CHARACTERS:
            return self._counted(text, chat=False)
        sample = sampled(text)
        return round(self._counted(sample, chat=False) * len(text) / len(sample))

    def prompt_tokens(self, text: str) -> int:
        return self._counted(text, chat=True)

    def works(self, text: str) -> bool:
        """Whether the server counts at all; a text is never nothing."""
        return bool(self._asked(text, chat=False))

    def _counted(self, text: str, *, chat: bool) -> int:
        """What the server says; by the ratio so far where it fails to answer this once."""
        found = self._asked(text, chat=chat)
        if not found:
            return round(len(text) / self._ratio)
        self._ratio = len(text) / found if len(text) > 1_000 else self._ratio
        return found

    def _asked(self, text: str, *, chat: bool) -> int | None:
        target = self._target
        return count_tokens(target, target.adapter.count_tokens(text, target.info.model, chat=chat), self._stop)


class RatioCounter:
    """By characters per token: a measured ratio (`usage`), or what such text usually has (`characters`)."""

    estimated = True

    def __init__(self, chars_per_token: float, counted_by: str) -> None:
        self._ratio = chars_per_token
        self.counted_by = counted_by

    def tokens(self, text: str) -> int:
        return round(len(text) / self._ratio)

    def prompt_tokens(self, text: str) -> int:
        return self.tokens(text) + _TEMPLATE_TOKENS


def counter_for(target: Target, stop: Stop, key: str) -> TokenCounter:
    """The best way there is to count for this server. `key` makes the short request of a calibration unlike any other.

    Raises StoppedError.
    """
    sample = haystack(_SAMPLE_CHARACTERS, (), seed=0)
    by_server = ServerCounter(target, stop)
    if by_server.works(sample):
        return by_server
    if stop.is_set():
        raise StoppedError()
    prompt = first_line(key) + sample
    counted = _usage_of(target, prompt, stop)
    return RatioCounter(STRAW_CHARS_PER_TOKEN, "characters") if counted is None else by_usage(prompt, counted)


def by_usage(prompt: str, prompt_tokens: int) -> RatioCounter:
    """A counter from what the server counted for one prompt."""
    return RatioCounter(len(prompt) / max(1, prompt_tokens - _TEMPLATE_TOKENS), "usage")


def count_tokens(target: Target, counting: Counting, stop: Stop) -> int | None:
    """What the tokenizer endpoint says; None where there is none. Raises StoppedError."""
    try:
        post = next(counting)
        while True:
            answer = target.client.post_json(post, stop)
            if stop.is_set():
                raise StoppedError()
            post = counting.send(answer)
    except StopIteration as end:
        found: int | None = end.value
        return found


def sampled(text: str) -> str:
    """Slices from all over a long text, each from one sentence's beginning to another's end, joined."""
    step = len(text) // _SLICES
    pieces = []
    for number in range(_SLICES):
        begin = _sentence_from(text, number * step)
        pieces.append(text[begin : _sentence_from(text, begin + _SLICE_CHARACTERS)])
    return "".join(pieces)


def _sentence_from(text: str, place: int) -> int:
    return 0 if place <= 0 else text.find(" Entry ", place) + 1 or len(text)


def _usage_of(target: Target, prompt: str, stop: Stop) -> int | None:
    """The prompt tokens of one short request, as the server counts them; None where it says nothing of them."""
    request = ChatRequest(
        prompt=prompt, model=target.info.model, max_tokens=_ANSWER_TOKENS, temperature=0, include_usage=target.include_usage
    )  # fmt: skip
    body = msgspec.json.encode(target.adapter.body(request))
    parser, decode = SseParser(), target.adapter.decode
    counted: int | None = None
    try:
        with target.client.stream(body, stop) as stream:
            if not 200 <= stream.status < 300:
                return None
            for _, data in stream.reads():
                for event in parser.feed(data):
                    figures = decode(event).figures
                    counted = figures.prompt_tokens if figures is not None and figures.prompt_tokens else counted
            if counted is None and parser.unframed:
                whole = target.adapter.whole(parser.unframed).figures
                counted = whole.prompt_tokens if whole is not None else None
    except StoppedError:
        raise
    except SparkError:
        return None
    return counted
