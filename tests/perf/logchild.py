"""A process that follows a log as the worker does, and tells on request what it saw and what it cost.

`python -m tests.perf.logchild PATH [--no-events] [--truth PORT]`: prints one JSON line when it follows, then one for every line on stdin:
`cost` (CPU seconds, records, resident bytes), `stamps` (when every record was in a screen's model, ns of the monotonic clock), `stream`
(runs one plan against the ground-truth server and tells the stamps of its chunks).
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from sparktui.core.events import AnyEvent, Chunk, LogLine, LogState, decode_event, encode_event
from sparktui.core.figures.metrics import apply_figures
from sparktui.core.session import SessionState
from sparktui.engine.hosting.logfeed import LogFeed
from sparktui.engine.running.emit import Emitter
from sparktui.io.log.logpath import PathSource

_LOOK_S = 0.1


class _Seen:
    """What the sinks were handed: lines go over the wire's encoding into a screen's model, which is looked at ten times a second."""

    def __init__(self) -> None:
        self.session = SessionState()
        self._looked = 0.0
        self.stamps: list[int] = []
        self.chunks: list[int] = []
        self.following = threading.Event()

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, LogLine):
            before = self.session.log_count
            self.session.fold(decode_event(encode_event(event)))
            if time.perf_counter() - self._looked > _LOOK_S:
                self._looked = time.perf_counter()
                assert self.session.log[-1].n == self.session.log_count
            self.stamps += [time.perf_counter_ns()] * (self.session.log_count - before)
        elif isinstance(event, Chunk):
            self.chunks.append(event.t_ns)
        elif isinstance(event, LogState) and event.state == "following":
            self.following.set()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("--no-events", action="store_true")
    parser.add_argument("--truth", type=int)
    args = parser.parse_args()
    seen = _Seen()
    began_ns = time.perf_counter_ns()
    emitter = Emitter([seen])
    feed = LogFeed(PathSource(str(args.path), events=not args.no_events), emitter, apply=partial(apply_figures, steps_checked=True))
    emitter.add(feed)
    feed.start()
    seen.following.wait(30)
    _tell({"following_s": (time.perf_counter_ns() - began_ns) / 1e9, "rss": psutil.Process().memory_info().rss})
    for line in sys.stdin:
        if line.strip() == "cost":
            _tell({"cpu_s": time.process_time(), "records": len(seen.stamps), "rss": psutil.Process().memory_info().rss})
        elif line.strip() == "stamps":
            _tell({"stamps": seen.stamps})
        elif line.strip() == "stream":
            _tell(_stream(args.truth, emitter, seen))
    feed.stop()


def _stream(port: int, emitter: Emitter, seen: _Seen) -> dict[str, Any]:
    from tests.perf.bench import TruthServer
    from tests.perf.plan import steady

    server = TruthServer(port)
    try:
        seen.chunks.clear()
        _, truth = server.run(steady(), emitter.emit)
        return {"sent": [ns for _, _, ns in truth.texts], "seen": list(seen.chunks)}
    finally:
        server.target.close()


def _tell(value: dict[str, Any]) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
