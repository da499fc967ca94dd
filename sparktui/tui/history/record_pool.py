"""Many light records in little memory: parts that most runs share are kept once. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from sparktui.core.records import RunRecord

_BARE: dict[str, Any] = dict.fromkeys(("text", "reasoning", "tool_calls", "timeline"))


class RecordPool:
    """`share(record)` gives an equal record without texts and timeline; what earlier ones have too is theirs."""

    def __init__(self) -> None:
        self._kept: dict[object, Any] = {}

    def share(self, record: RunRecord) -> RunRecord:
        params = record.params
        # the form of a number is part of it: 0 and 0.0 are equal and print differently
        params_key = None if params.extra else ("params", repr(params.temperature), params.max_tokens)
        return msgspec.structs.replace(
            record,
            **_BARE,
            label=self._one(record.label, record.label),
            bench_id=self._one(record.bench_id, record.bench_id),
            server=self._one(record.server, record.server),
            prompt=self._one(record.prompt, record.prompt),
            params=params if params_key is None else self._one(params_key, params),
            warnings=self._one(record.warnings, record.warnings),
            flags=self._one(record.flags, record.flags),
        )

    def _one(self, key: object, value: Any) -> Any:
        return self._kept.setdefault((type(value), key), value)
