"""The worker's desk on the stage: answers what the screen asks of the history, from a real one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from sparktui.core.commands import HistoryQuery, RunEdit, RunGet
from sparktui.core.events import Reply
from sparktui.core.records import RunRecord
from sparktui.engine.hosting.desk import answer_edit, answer_get, answer_query
from sparktui.errors import SparkError
from sparktui.io.store.history import History
from sparktui.tui.options import Options
from tests.tui.scenes import OPTIONS
from tests.tui.stage import Stage, on_stage
from tests.tui.timelines import Script, opening

_ANSWERS = {HistoryQuery: answer_query, RunGet: answer_get, RunEdit: answer_edit}


class Desk:
    """`answer()` answers everything that was asked, until nothing more is."""

    def __init__(self, stage: Stage, history: History) -> None:
        self.stage, self.history = stage, history
        self._done = 0

    @property
    def asked(self) -> list[object]:
        return list(self.stage.link.sent)

    async def answer(self) -> None:
        await self.stage.settle()
        while self._done < len(self.stage.link.sent):
            new = self.stage.link.sent[self._done :]
            self._done = len(self.stage.link.sent)
            for command in new:
                if type(command) in _ANSWERS:
                    self.stage.link.add(self._reply(command))
            await self.stage.settle()
        await self.stage.settle()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.stage.press(key)
            await self.answer()

    def _reply(self, command: object) -> Reply:
        try:
            data = _ANSWERS[type(command)](self.history, command)  # type: ignore[operator]
        except SparkError as error:
            return Reply(id=command.id, ok=False, error={"title": error.title, "detail": error.detail, "hint": error.hint})  # type: ignore[attr-defined]
        return Reply(id=command.id, ok=True, data=msgspec.json.decode(msgspec.json.encode(data)))  # type: ignore[attr-defined]


@asynccontextmanager
async def at_desk(
    records: Sequence[RunRecord],
    folder: Path,
    size: tuple[int, int] = (120, 36),
    *,
    script: Script | None = None,
    options: Options = OPTIONS,
    known: Sequence[RunRecord] = (),
) -> AsyncIterator[tuple[Stage, Desk]]:
    """A stage with a history of these runs; `known` are those that the session knows from the start."""
    with History.open(folder / "history.sqlite3") as history:
        history.add_all(records)
        async with on_stage(opening() if script is None else script, size, options, records=known) as stage:
            desk = Desk(stage, history)
            await desk.answer()
            yield stage, desk
