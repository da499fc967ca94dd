"""One run as one row: the columns that lists filter and sort by, the record without its texts, the texts, the timeline."""

from __future__ import annotations

import hashlib
import zlib
from datetime import UTC, datetime
from typing import Any

import msgspec

from sparktui.core.needleplan import needle_note
from sparktui.core.records import RunRecord
from sparktui.core.stats.cells import cell_key
from sparktui.errors import StorageError
from sparktui.io.store.inflate import inflate
from sparktui.io.store.recordjson import RawRecord, clean, merged, plain
from sparktui.io.store.timeline import pack_timeline

TEXTS = ("text", "reasoning", "tool_calls")

# column name → SQL type; everything here can be computed again from the record
LIGHT_COLUMNS = {
    "started_s": "REAL NOT NULL",
    "label": "TEXT NOT NULL",
    "status": "TEXT NOT NULL",
    "kind": "TEXT NOT NULL",
    "base_url": "TEXT NOT NULL",
    "model": "TEXT NOT NULL",
    "prompt": "TEXT NOT NULL",
    "prompt_sha256": "TEXT NOT NULL",
    "temperature": "REAL",
    "bench_id": "TEXT",
    "warmup": "INTEGER NOT NULL",
    "simulated": "INTEGER NOT NULL",
    "flags": "TEXT NOT NULL",
    "ttft_s": "REAL",
    "decode_s": "REAL",
    "total_s": "REAL",
    "completion_tokens": "INTEGER",
    "prompt_tokens": "INTEGER",
    "client_tok_s": "REAL",
    "client_tok_s_net": "REAL",
    "server_tok_s": "REAL",
    "prefill_tok_s": "REAL",
    "chunks": "INTEGER",
    "tokens_per_chunk": "REAL",
    "burstiness": "REAL",
    "draft_accepted": "INTEGER",
    "draft_proposed": "INTEGER",
    "acceptance_rate": "REAL",
    "tokens_per_step": "REAL",
    "step_ms": "REAL",
    "speedup": "REAL",
    "note": "TEXT NOT NULL",
    "words": "TEXT NOT NULL",
    "cell": "TEXT NOT NULL",
}
_FIGURES = tuple(name for name, kind in LIGHT_COLUMNS.items() if kind in ("REAL", "INTEGER") and name not in ("temperature",))


def started_s(stamp: str) -> float:
    """Seconds since 1970 of an ISO 8601 stamp (UTC where it names no zone); 0 where it is no date."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def note_of(record: RunRecord) -> str:
    """What a list says beside a run: a needle's finding and place, and its trouble. "" for a plain good run."""
    return ", ".join(filter(None, (needle_note(record.needle), trouble_of(record))))


def trouble_of(record: RunRecord) -> str:
    """How a run ended if not well, warm-up, flags, the error. "" for a good run."""
    parts = [record.status.replace("_", " ")] if record.status != "ok" else []
    parts += ["warm-up"] if record.warmup else []
    parts += [flag.replace("_", " ") for flag in record.flags]
    parts += [record.error] if record.error else []
    return ", ".join(parts)


def light_columns(record: RunRecord) -> RawRecord:
    """The values of LIGHT_COLUMNS for `record`."""
    note = note_of(record)
    words = "\n".join((record.label, record.prompt.name, record.server.model, note, " ".join(record.flags), *record.warnings))
    values = {name: getattr(record, name) for name in _FIGURES}
    words_too = {
        "started_s": started_s(record.started_at),
        "label": record.label,
        "status": record.status,
        "kind": record.server.kind,
        "base_url": record.server.base_url,
        "model": record.server.model,
        "prompt": record.prompt.name,
        "prompt_sha256": record.prompt.sha256,
        "temperature": record.params.temperature,
        "bench_id": record.bench_id,
        "warmup": int(record.warmup),
        "simulated": int(record.simulated),
        "flags": f" {' '.join(record.flags)} ",
        "note": note,
        "words": words.casefold(),
        "cell": cell_text(record),
    }
    columns: RawRecord = clean({**values, **words_too})
    return columns


def cell_text(record: RunRecord) -> str:
    """The cell of a run as a short text, equal exactly for runs of one cell."""
    return hashlib.blake2b(msgspec.json.encode(clean(cell_key(record))), digest_size=8).hexdigest()


def split(record: RunRecord, before: RawRecord | None = None, texts_before: bytes | None = None) -> dict[str, Any]:
    """All columns of a row. `before` and its texts are the stored ones that this record replaces: what only they know is kept."""
    values = plain(msgspec.structs.replace(record, timeline=None))
    texts: dict[str, Any] = {name: values.pop(name) for name in TEXTS}
    texts["prompt"] = values["prompt"].pop("text")
    stored = values if before is None else merged(before, values)
    for name in (*TEXTS, "timeline"):
        stored.pop(name, None)
    stored["prompt"].pop("text", None)
    if texts_before is not None:
        texts = {**_unpack_texts(texts_before), **{name: text for name, text in texts.items() if text is not None}}
    return {
        "id": record.id,
        **light_columns(record),
        "record": msgspec.json.encode(stored),
        "texts": pack_texts(texts),
        "timeline": None if record.timeline is None else pack_timeline(record.timeline),
    }


def pack_texts(texts: dict[str, str | None]) -> bytes | None:
    """The texts of a run, compressed; None where there are none."""
    if all(text is None for text in texts.values()):
        return None
    return zlib.compress(msgspec.json.encode(texts), 6)


def without_texts(record: RunRecord) -> RunRecord:
    """The record as it is stored where texts are not to be kept."""
    prompt = msgspec.structs.replace(record.prompt, text=None)
    return msgspec.structs.replace(record, prompt=prompt, text=None, reasoning=None, tool_calls=None)


def with_texts(record: RunRecord, data: bytes | None) -> RunRecord:
    """`record` with its texts. Raises StorageError where the column is damaged."""
    if data is None:
        return record
    texts = _unpack_texts(data)
    prompt = msgspec.structs.replace(record.prompt, text=texts.get("prompt"))
    return msgspec.structs.replace(record, prompt=prompt, **{name: texts.get(name) for name in TEXTS})


def _unpack_texts(data: bytes) -> dict[str, str | None]:
    try:
        return msgspec.json.decode(inflate(data), type=dict[str, str | None])
    except (zlib.error, msgspec.DecodeError) as error:
        raise StorageError("The text of this run is damaged.", detail=str(error)) from error
