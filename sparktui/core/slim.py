"""What of an event a screen needs: it has folded the chunks already, so that a finished run need not carry its text a second time. Pure."""

from __future__ import annotations

import msgspec

from sparktui.core.events import AnyEvent, Joined, RunDone


def for_screen(event: AnyEvent) -> AnyEvent:
    """`event` without the texts and the timeline of a finished run. The journal keeps them, and `run_get` brings them."""
    if not isinstance(event, RunDone | Joined):
        return event
    record = msgspec.structs.replace(event.record, text=None, reasoning=None, tool_calls=None, timeline=None)
    return msgspec.structs.replace(event, record=record)
