"""Labelling and deleting runs: the question, the command to the worker, and what its answer changes here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from sparktui.core.commands import RunEdit
from sparktui.core.events import Reply
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.screens.ask_line import AskLine
from sparktui.tui.screens.confirm import Answer, Confirm
from sparktui.tui.screens.replays import Replays

if TYPE_CHECKING:
    from sparktui.tui.app import SparkApp

LONGEST_LABEL = 80
_GONE = "the measuring process does not run; nothing was changed"


class Chosen(msgspec.Struct, frozen=True):
    """Runs that an action is about, and how a sentence names them."""

    run_ids: tuple[str, ...]
    words: str
    label: str = ""

    @property
    def counted(self) -> str:
        """`1 run`, `12 runs`."""
        return f"{numbers.count(len(self.run_ids))} run{'s' if len(self.run_ids) != 1 else ''}"


class RunEdits(Replays):
    """Mixed into the screens that list or show runs."""

    if TYPE_CHECKING:

        def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information", title: str = "") -> None: ...

    def edited(self, run_ids: Sequence[str], label: str | None) -> None:
        """The worker has done it: `label` is the new one, None when the runs were deleted. Screens bring themselves up to date."""

    @property
    def _spark_app(self) -> SparkApp:
        return cast("SparkApp", self.app)

    def label_runs(self, chosen: Chosen) -> None:
        """Ask for a label and give it to the runs."""

        def typed(label: str | None) -> None:
            if label is None:
                return
            if not label:
                self.say("a label has at least one character; nothing was changed", severity="warning")
                return
            cut = label[:LONGEST_LABEL]
            self._edit(RunEdit(run_ids=chosen.run_ids, label=cut), lambda: self._labelled(chosen, cut))

        hint = f"a new label for {chosen.counted}: {chosen.words}. Runs of one label, server, model, prompt and parameters are one cell."
        self.app.push_screen(AskLine("label", chosen.label, hint=hint), typed)

    def delete_runs(self, chosen: Chosen) -> None:
        """Ask whether, then take the runs out of the history."""

        def answered(key: str | None) -> None:
            if key:
                self._edit(RunEdit(run_ids=chosen.run_ids, delete=True), lambda: self._deleted(chosen))

        lines = (shown(chosen.words), "With texts and timelines, for good; exports keep what they hold.")
        title = f"Delete {chosen.counted}?"
        self.app.push_screen(Confirm(title, lines, [Answer(("y",), "y", f"yes, delete {chosen.counted}")]), answered)

    def _edit(self, command: RunEdit, done: Callable[[], None]) -> None:
        def answered(reply: Reply) -> None:
            if reply.ok:
                done()
            else:
                error = reply.error or {}
                why = " ".join(filter(None, (error.get("detail", ""), error.get("hint", ""))))
                self.say(why, title=error.get("title", ""), severity="error")

        if not self._spark_app.send(command, answered):
            self.say(_GONE, severity="error")

    def _labelled(self, chosen: Chosen, label: str) -> None:
        session = self._spark_app.session
        known = [record for run_id in chosen.run_ids if (record := session.record(run_id)) is not None]
        session.put_records(msgspec.structs.replace(record, label=label) for record in known)
        self.say(f"{chosen.counted} labelled {label}")
        self.edited(chosen.run_ids, label)

    def _deleted(self, chosen: Chosen) -> None:
        self._spark_app.session.forget(chosen.run_ids)
        self.say(f"{chosen.counted} deleted")
        self.edited(chosen.run_ids, None)
