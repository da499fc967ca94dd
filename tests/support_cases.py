"""Field cases with a `wire.json`, served as the server they were seen on."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tests.support_server import Peer, Received, ScriptedServer

FOLDER = Path(__file__).parent / "fixtures" / "cases"


def case(case_id: str) -> Any:
    """The case's description: `expect` and the rest of case.json."""
    return json.loads((FOLDER / case_id / "case.json").read_text("utf-8"))


class CaseServer(ScriptedServer):
    """Plays the first response of the case whose `match` holds. `slow` stretches or shrinks every delay."""

    def __init__(self, case_id: str, *, slow: float = 1.0) -> None:
        self._responses = json.loads((FOLDER / case_id / "wire.json").read_text("utf-8"))["responses"]
        self._slow = slow
        self._posts = 0
        super().__init__(self._play)

    def _play(self, request: Received, peer: Peer) -> None:
        if request.method == "GET":
            peer.answer(200, b'{"object":"list","data":[{"id":"fake-model","object":"model"}]}')
            return
        self._posts += 1
        response = next(r for r in self._responses if self._matches(r.get("match", {}), request))
        headers = {name.lower(): value.replace("{port}", str(self.port)) for name, value in response.get("headers", {}).items()}
        peer.head(response.get("status", 200), headers)
        for write in response["writes"]:
            peer.pause(write.get("delay_ms", 0) / 1000 * self._slow)
            peer.chunk(_bytes(write))
        peer.pause(response.get("hold_ms", 0) / 1000 * self._slow)
        if response.get("end", "close") == "abort":
            peer.reset()
        peer.end()

    def _matches(self, match: dict[str, Any], request: Received) -> bool:
        body = json.loads(request.body)
        return (
            match.get("body_has_key", next(iter(body))) in body
            and match.get("body_lacks_key", "") not in body
            and match.get("header_has", "host").lower() in request.headers
            and match.get("path_is", request.path) == request.path
            and match.get("nth", self._posts) == self._posts
        )


def _bytes(write: dict[str, Any]) -> bytes:
    if "b64" in write:
        return base64.b64decode(write["b64"])
    if (repeat := write.get("repeat")) is not None:
        return str(repeat["pre"] + repeat["unit"] * repeat["times"] + repeat["post"]).encode()
    return str(write.get("text", "")).encode()
