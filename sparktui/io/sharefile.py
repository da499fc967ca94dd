"""One run as one small file that plays anywhere: figures, texts and timeline, compressed; nothing that says where or for whom."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import msgspec

from sparktui import __version__
from sparktui.core.masking import mask_secrets
from sparktui.core.records import RunRecord
from sparktui.errors import StorageError
from sparktui.io.store.recordjson import RawRecord, plain

SHARE_SCHEMA = "sparktui-share/1"
GZIP = b"\x1f\x8b"
SUFFIX = ".spark"

# a longer prompt (a haystack) is named and not told
_LONGEST_PROMPT = 4_000
_LARGEST_BYTES = 64 << 20
_LEFT_OUT = ("bench_id", "baseline_id", "request_id", "retries", "warnings", "idle_checked", "connect_s")
_TICKS_PER_S = 1_000_000


def pack_share(record: RunRecord, *, prompt: bool = True) -> bytes:
    """The file's bytes. `record` has its texts and its timeline; the server's address stays here, error texts are masked."""
    run = {name: value for name, value in plain(record).items() if value is not None and name not in _LEFT_OUT}
    server = {name: value for name, value in run["server"].items() if value is not None and name != "tls_verified"}
    run["server"] = {**server, "base_url": ""}
    if not prompt or len(run["prompt"].get("text") or "") > _LONGEST_PROMPT:
        run["prompt"]["text"] = None
    if record.error:
        run["error"] = mask_secrets(record.error)
    run["timeline"] = _columns(record)
    share = {"schema": SHARE_SCHEMA, "tool_version": __version__, "run": run}
    return gzip.compress(msgspec.json.encode(share), 9, mtime=0)


def unpack_share(data: bytes) -> RawRecord:
    """The run in a shared file as plain values, as io.recordjson.record_from takes them. Raises StorageError where it is none."""
    try:
        body = zlib.decompressobj(wbits=31).decompress(data, _LARGEST_BYTES)
        share = msgspec.json.decode(body)
        if not str(share["schema"]).startswith("sparktui-share/"):
            raise ValueError("another kind of file")
        run: RawRecord = dict(share["run"])
        run["timeline"] = _marks(run["timeline"])
    except (zlib.error, msgspec.DecodeError, RecursionError, OverflowError, KeyError, TypeError, ValueError) as error:
        raise StorageError("This is no shared run, or it is damaged.", detail=str(error)[:200]) from error
    return run


def _columns(record: RunRecord) -> dict[str, list[Any]]:
    """The timeline by columns, times as differences in microseconds: what compresses best."""
    ticks = [round(mark.t_s * _TICKS_PER_S) for mark in record.timeline or ()]
    return {
        "us": [tick - before for before, tick in zip([0, *ticks], ticks, strict=False)],
        "kind": [mark.kind for mark in record.timeline or ()],
        "characters": [mark.characters for mark in record.timeline or ()],
        "tokens": [mark.tokens for mark in record.timeline or ()],
    }


def _marks(columns: dict[str, list[Any]]) -> list[list[Any]]:
    ticks = 0
    marks = []
    for step, kind, characters, tokens in zip(
        columns["us"], columns["kind"], columns["characters"], columns["tokens"], strict=True
    ):  # fmt: skip
        ticks += int(step)
        marks.append([ticks / _TICKS_PER_S, kind, characters, tokens])
    return marks
