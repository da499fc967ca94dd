"""The end of a paste: what a terminal sends in one go with it belongs to it, and is no key."""

from __future__ import annotations

from textual import events

# nobody presses a key this soon after pasting; what follows a cut-off paste is read together with it
_TOGETHER_S = 0.01


class PasteTail:
    """A pasted text that holds the sequence for "end of paste" ends too early, and its rest would act as keys."""

    def __init__(self) -> None:
        self._until_s = 0.0

    def take(self, event: events.Event) -> events.Event | None:
        """The event to go on with: itself, the text that a key stands for, or None where it stands for none."""
        if isinstance(event, events.Paste):
            self._until_s = event.time + _TOGETHER_S
        elif isinstance(event, events.Key) and event.time < self._until_s:
            self._until_s = event.time + _TOGETHER_S
            text = "\n" if event.key == "enter" else event.character
            return events.Paste(text) if text is not None and (text == "\n" or event.is_printable) else None
        return event
