"""What is left of a sweep when its process is gone: how to go on with it, and how the server was before it began."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from sparktui.errors import StorageError
from sparktui.io.atomic import write_atomic
from sparktui.io.paths import data_dir, ensure_dir

_KEPT = 50


class SweepState(Struct, frozen=True, kw_only=True):
    """`digest`: the plan's (core.sweepplan). `original`: the load that puts the server back, {} where no variant loads.

    `changed`: the server may be in another configuration than the original one.
    """

    bench_id: str
    digest: str
    started_at: str
    base_url: str = ""
    original: dict[str, Any] = field(default_factory=dict)
    changed: bool = False
    finished: bool = False


def sweep_dir() -> Path:
    """The folder of sweeps, one `BENCH_ID.json` each."""
    return data_dir() / "sweeps"


def write_state(state: SweepState) -> None:
    """Store it. Raises StorageError."""
    write_atomic(ensure_dir(sweep_dir()) / f"{state.bench_id}.json", msgspec.json.encode(state), force=True)


def find_state(digest: str) -> SweepState | None:
    """The newest unfinished sweep of this plan, None where there is none."""
    return next((state for state in _stored() if state.digest == digest and not state.finished), None)


def left_changed(base_url: str) -> SweepState | None:
    """The newest sweep of this server that could not put it back, None where there is none."""
    newest = next((state for state in _stored() if state.base_url == base_url), None)
    return newest if newest is not None and newest.changed and newest.original else None


def tidy_states() -> None:
    """Keep the newest files only."""
    for path in sorted(_paths(), reverse=True)[_KEPT:]:
        with contextlib.suppress(OSError):
            path.unlink()


def _stored() -> list[SweepState]:
    """Newest first; a file that cannot be read is passed over."""
    found = []
    for path in sorted(_paths(), reverse=True):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=SweepState))
        except (OSError, msgspec.MsgspecError):
            continue
    return found


def _paths() -> list[Path]:
    try:
        return list(sweep_dir().glob("*.json"))
    except OSError as error:
        raise StorageError(f"The folder {sweep_dir()} cannot be read: {error.strerror}.") from error
