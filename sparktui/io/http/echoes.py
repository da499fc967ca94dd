"""Servers that quote what they were sent: a key that comes back, in an error, a header or an answer, is masked before anybody reads it."""

from __future__ import annotations

from collections.abc import Iterable

from sparktui.core.masking import MASK, secret_forms

# what people put where no key is needed ("lm-studio", "not-needed") is no secret, and masking it would change answers
_SHORTEST, _SHORTEST_OF_LETTERS = 8, 24


class Echoes:
    """Masks `secrets` in what a server sends: as they are, percent-encoded, and as JSON writes them.

    One that stands in two reads, or is spelled otherwise, is not found.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms = secret_forms(filter(_is_secret, secrets))
        self._bytes = tuple(form.encode() for form in self._forms)

    def masked(self, data: bytes) -> bytes:
        """The bytes of one read, or of a body."""
        for form in self._bytes:
            if form in data:
                data = data.replace(form, MASK.encode())
        return data

    def masked_text(self, text: str) -> str:
        """A header's value, or the words of an error."""
        for form in self._forms:
            text = text.replace(form, MASK)
        return text


def _is_secret(text: str) -> bool:
    return len(text) >= (_SHORTEST if any(sign.isdigit() for sign in text) else _SHORTEST_OF_LETTERS)
