"""Events with less in them: for a screen, which has folded the chunks already, and for journals where texts are not to be kept. Pure."""

from __future__ import annotations

import msgspec

from sparktui.core.events import AnyEvent, Chunk, Joined, LogLine, RunDone, RunStarted
from sparktui.core.records import PromptInfo


def for_screen(event: AnyEvent) -> AnyEvent:
    """`event` without the texts and the timeline of a finished run. The journal keeps them, and `run_get` brings them."""
    if not isinstance(event, RunDone | Joined):
        return event
    record = msgspec.structs.replace(event.record, text=None, reasoning=None, tool_calls=None, timeline=None)
    return msgspec.structs.replace(event, record=record)


def without_text(event: AnyEvent) -> AnyEvent | None:
    """`event` without anything that prompts, answers or the server's log said; None where nothing else is in it. Figures and times stay.

    An event without text is returned as it is. Of a log only the generation records stay, which are figures.
    """
    if isinstance(event, Chunk):
        return None
    if isinstance(event, RunStarted):
        return msgspec.structs.replace(event, prompt=_unsaid(event.prompt)) if event.prompt.text else event
    if isinstance(event, RunDone | Joined):
        said = event.record
        if not (said.prompt.text or said.text or said.reasoning or said.tool_calls):
            return event
        kept = msgspec.structs.replace(said, prompt=_unsaid(said.prompt), text=None, reasoning=None, tool_calls=None)
        return msgspec.structs.replace(event, record=kept)
    if isinstance(event, LogLine):
        figures = [msgspec.structs.replace(record, text="") for record in (event.record, *event.more) if record.generation is not None]
        return msgspec.structs.replace(event, record=figures[0], more=tuple(figures[1:]), plain=None) if figures else None
    return event


def _unsaid(prompt: PromptInfo) -> PromptInfo:
    return msgspec.structs.replace(prompt, text=None)
