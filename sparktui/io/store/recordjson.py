"""A run record as JSON and back: strict in what is written, patient with what an older or newer version wrote."""

from __future__ import annotations

import math
import re
from typing import Any, get_args

import msgspec

from sparktui.core.records import Flag, RunRecord

_FLAGS = frozenset(get_args(Flag))
_OPTIONAL = frozenset(f.name for f in msgspec.structs.fields(RunRecord) if not f.required)
# neither SQLite's INTEGER nor other readers of JSON go further
_BEYOND = 2**63
_FIELD_AT_FAULT = re.compile(r"`\$\.(\w+)")

RawRecord = dict[str, Any]


def plain(record: RunRecord) -> RawRecord:
    """The record as plain values: every field, tuples as lists, NaN and infinity as None, text that is always valid UTF-8."""
    values: RawRecord = clean(msgspec.to_builtins(record))
    gaps = values.get("gap_ms")
    if isinstance(gaps, dict) and None in gaps.values():
        values["gap_ms"] = None
    return values


def record_from(raw: RawRecord) -> RunRecord:
    """A record from plain values. Unknown fields are ignored, unknown flags dropped, optional fields of a strange type left absent.

    Raises ValueError where a field that every run has is missing or wrong.
    """
    values = dict(raw)
    flags = values.get("flags")
    if isinstance(flags, list):
        values["flags"] = [flag for flag in flags if isinstance(flag, str) and flag in _FLAGS]
    for _ in range(len(_OPTIONAL)):
        try:
            return msgspec.convert(values, RunRecord)
        except msgspec.ValidationError as error:
            found = _FIELD_AT_FAULT.search(str(error))
            if found is None or found[1] not in _OPTIONAL or found[1] not in values:
                raise ValueError(str(error)) from error
            del values[found[1]]
    raise ValueError("no field of this run could be read")


def decode_record(data: bytes) -> RunRecord:
    """A record from its JSON. Raises ValueError as `record_from` does, and where it is not JSON."""
    try:
        return msgspec.json.decode(data, type=RunRecord)
    except msgspec.ValidationError:
        return record_from(msgspec.json.decode(data))


def merged(old: RawRecord, new: RawRecord) -> RawRecord:
    """`new` over `old`: fields this version does not know are kept, also inside server, prompt and memory."""
    result = {**old, **new}
    for name in ("server", "prompt", "memory"):
        before, after = old.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(after, dict):
            result[name] = {**before, **after}
    return result


def clean(value: Any) -> Any:
    """A plain value with NaN, infinity and integers beyond 64 bits as None and lone surrogates as U+FFFD, all the way down."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if -_BEYOND <= value < _BEYOND else None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value
