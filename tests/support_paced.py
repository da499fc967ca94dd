"""A server that streams by the clock and says whatever a test wants it to; and text no terminal should be given."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.support_server import Peer, Received, ScriptedServer

HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b[10Aup \x1b]52;c;cHduZWQ=\x07 \x1b]0;title\x1b\\ \x9b2J \x90q\x9c abc\u202edef\u2066x "
    "[/] [link=http://x]y [@click=app.quit]press[/] 10%\r20%\x08\x7f\x00 a\tb \U0001f469\u200d\U0001f469 z" + "\u0301" * 30
)


class Paced(ScriptedServer):
    """Streams `count` events, one each `every_s` by the clock and not by the one before, after `head` in one event."""

    def __init__(self, *, count: int, every_s: float, head: str = "x", model: str = "paced", word: str = "word ") -> None:
        self._count, self._every_s, self._head, self._model, self._word = count, every_s, head, model, word
        self.spans_s: list[float] = []
        super().__init__(self._play)

    def _play(self, request: Received, peer: Peer) -> None:
        if request.method == "GET":
            peer.answer(200, json.dumps({"object": "list", "data": [{"id": self._model, "object": "model"}]}).encode())
            return
        peer.head()
        began = time.perf_counter()
        self._say(peer, self._head)
        for number in range(1, self._count + 1):
            peer.pause(max(0.0, began + number * self._every_s - time.perf_counter()))
            self._say(peer, self._word)
        self.spans_s.append(time.perf_counter() - began)
        usage = {"prompt_tokens": 5, "completion_tokens": self._count + 1, "total_tokens": self._count + 6}
        end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
        peer.chunk(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())
        peer.end()

    def _say(self, peer: Peer, text: str) -> None:
        delta: dict[str, Any] = {"id": "c", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
        peer.chunk(f"data: {json.dumps(delta)}\n\n".encode())

    @property
    def rate(self) -> float:
        """Events a second of the last answer, as they were sent."""
        return self._count / self.spans_s[-1]

    def options(self) -> tuple[str, ...]:
        return ("--base-url", self.url, "--kind", "openai")
