"""Playing stored runs from the screens that list or show them: their texts and timelines are asked for, then they are played on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import msgspec
from textual.screen import Screen

from sparktui.core.commands import RunGet
from sparktui.core.events import Reply
from sparktui.core.records import RunRecord
from sparktui.core.stats.baseline import why_no_baseline_run
from sparktui.errors import SparkError

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

_NOBODY = "there is no history to read them from here; `sparktui replay` plays runs by their id or from a file"


class Replays(Screen[None]):
    """Mixed into the screens that list or show runs."""

    if TYPE_CHECKING:

        def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information", title: str = "") -> None: ...

    def replay_ids(self) -> tuple[str, ...]:
        """The run to play, or two to play side by side; none where there is none."""
        return ()

    def replay_record(self) -> RunRecord | None:
        """The one run that the screen is about: under the cursor, or shown."""
        return None

    def act_replay(self) -> None:
        self._play(self.replay_ids())

    def act_replay_baseline(self) -> None:
        """The run beside the one without a draft that its speed-up is measured against, or why there is none."""
        record = self.replay_record()
        if record is None:
            self._play(())
        elif why := why_no_baseline_run(record):
            self.say(f"{why[:1].upper()}{why[1:]}. a marks two runs of your choice, p plays both.", title=f"No baseline beside {record.id}")
        else:
            self._play((record.id, record.baseline_id or ""))

    def _play(self, ids: tuple[str, ...]) -> None:
        if not ids:
            self.say("there is no run here to play")
            return
        if not cast("SparkApp", self.app).send(RunGet(run_ids=ids, timeline=True, text=True), self._came):
            self.say(_NOBODY, severity="warning")

    def _came(self, reply: Reply) -> None:
        if not reply.ok:
            error = reply.error or {}
            self.say(error.get("hint", ""), title=error.get("title", "These runs cannot be read."), severity="error")
            return
        # the screens that play are imported when they are needed
        from sparktui.tui.showing.recordings import playing, screen_for

        try:
            recordings = playing(msgspec.convert(reply.data["runs"], list[RunRecord]))
        except SparkError as error:
            self.say(error.hint, title=error.title, severity="warning")
            return
        self.app.push_screen(screen_for(recordings))
