"""The file of a sweep: what is needed to go on with it, or to put the server back, should its process be killed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from sparktui.core.records import RunRecord
from sparktui.errors import SparkError, UsageError
from sparktui.io.store.history import History
from sparktui.io.sweepstate import SweepState, find_state, left_changed, tidy_states, write_state


class SweepBook:
    """Book of one sweep of the server at `base_url`; `digest` names its plan. Without `keep` nothing is written or read."""

    def __init__(self, digest: str, base_url: str, *, keep: bool, say: Callable[[str], object]) -> None:
        self._keep = keep
        self._say = say
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self.state = SweepState(bench_id="", digest=digest, base_url=base_url, started_at=started)

    def earlier(self, *, resume: bool) -> tuple[str | None, list[RunRecord]]:
        """The sweep to go on with and its runs; (None, []) for a new one. Raises UsageError where there is none to go on with."""
        if not self._keep:
            return None, []
        if not resume:
            return None, []
        found = find_state(self.state.digest)
        if found is None:
            title = "There is no unfinished sweep of this plan on this server."
            raise UsageError(title, hint="A changed plan is another sweep: start it without --resume.")
        self.state = found
        with History.open() as history:
            runs = history.query(f'bench:"{found.bench_id}"', sort="started_at", limit=None)
        self._say(f"going on with the sweep of {found.started_at}: {len(runs)} runs are there")
        return found.bench_id, list(runs)

    def check_left(self, original: dict[str, Any]) -> None:
        """Raise UsageError where an earlier sweep left this server changed and `original`, what it has now, is not what it had then.

        What the server should come back to would be lost otherwise.
        """
        left = left_changed(self.state.base_url) if self._keep and original else None
        if left is None or left.bench_id == self.state.bench_id or left.original == original:
            return
        raise UsageError(
            f"The sweep of {left.started_at} left this server in another configuration than its own.",
            hint="`sparktui sweep --restore` puts it back, --resume goes on with that sweep; --as-it-is starts from what is loaded now.",
        )

    def begin(self, bench_id: str, original: dict[str, Any]) -> None:
        """Write the file; from here on the sweep can be resumed."""
        self._store(bench_id=bench_id, original=self.state.original or original)

    def note_change(self, changed: bool) -> None:
        """The server left its configuration, or is back in it."""
        if changed != self.state.changed:
            self._store(changed=changed)

    def end(self, *, complete: bool) -> None:
        """Nothing is left to do, or something is."""
        self._store(finished=complete)
        if self._keep:
            tidy_states()

    def _store(self, **fields: object) -> None:
        self.state = msgspec.structs.replace(self.state, **fields)
        if not self._keep:
            return
        try:
            write_state(self.state)
        except SparkError as error:
            self._say(f"note: the sweep could not be resumed, should it be interrupted: {error}")
