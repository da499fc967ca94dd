"""One line of the doctor: what was looked at, how it stands, and what to do about it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from sparktui.errors import EXIT_OK, EXIT_RUN_FAILED

State = Literal["ok", "warn", "fail"]


class Check(Struct, frozen=True):
    """`exit_code` is what a failed check makes the doctor exit with."""

    name: str
    state: State
    text: str
    fix: str = ""
    exit_code: int = EXIT_RUN_FAILED


def exit_code_of(checks: list[Check]) -> int:
    """0 when nothing failed, else the highest code of the failed checks."""
    return max((check.exit_code for check in checks if check.state == "fail"), default=EXIT_OK)
