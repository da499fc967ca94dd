"""What a shared run's file is called, and what is said about it."""

from __future__ import annotations

from sparktui.core.records import RunRecord
from sparktui.io.atomic import safe_name
from sparktui.io.sharefile import SUFFIX
from sparktui.report import numbers


def share_name(record: RunRecord, suffix: str = SUFFIX) -> str:
    """A file name of prompt, model and rate: `code-Qwen-Next-exl3-57.1.spark`."""
    rate = numbers.tok_s(record.client_tok_s).replace(",", "") if record.client_tok_s is not None else ""
    parts = (record.prompt.name, record.server.model.rsplit("/", 1)[-1], rate)
    return "-".join(safe_name(part) for part in parts if part) + suffix
