"""Texts of a log made fit to be shown: secrets masked, control characters out, length bounded. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.core.masking import secret_forms
from sparktui.core.scrub import mask_secrets, scrub

TEXT_LIMIT_CHARACTERS = 8192
# what every form of secret that core.masking knows has in it; the word "tokens" is taken out first, it is in half of all lines
_SUSPICIOUS = (
    "key", "token", "bearer", "basic ", "authori", "passw", "pwd", "secret", "cookie", "://", "k-", "k_", "hf", "ghp", "gho", "glpat",
    "xox",
)  # fmt: skip
_SHOWN = bytes([0x0A, *range(0x20, 0x7F)])
_DIGITS = bytes.maketrans(b"123456789", b"000000000")


class LogCleaner:
    """`secrets` are masked wherever they stand, known key forms always."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = tuple(secret for secret in secrets if secret)
        self._forms = secret_forms(self._secrets)

    def clean(self, texts: list[str]) -> list[str]:
        """`texts` as they may be shown. Whole batches are looked at first: most hold nothing to clean."""
        together = "\n".join(texts)
        whole = together.count("\n") == len(texts) - 1
        shapes = shapes_of(together) if whole else None
        if shapes is not None and self.is_clean(together, shapes):
            return texts
        if self._hints(together, together if shapes is None else shapes):
            texts = [mask_secrets(text, self._secrets) for text in texts]
        texts = [text if text.isprintable() else scrub(text, keep_newlines=False) for text in texts]
        return [text if len(text) <= TEXT_LIMIT_CHARACTERS else _shortened(text) for text in texts]

    def is_clean(self, lines: str, shapes: str) -> bool:
        """Whether nothing of these lines has to be masked, scrubbed or shortened. `shapes`: what `shapes_of` gives for them."""
        if shapes.encode().translate(None, _SHOWN):
            return False
        if len(shapes) > TEXT_LIMIT_CHARACTERS and max(map(len, shapes.split("\n"))) > TEXT_LIMIT_CHARACTERS:
            return False
        return not self._hints(lines, shapes)

    def _hints(self, lines: str, shapes: str) -> bool:
        """Whether there may be a secret in it."""
        if any(form in lines for form in self._forms):
            return True
        lower = shapes.lower().replace("tokens", "")
        return any(sign in lower for sign in _SUSPICIOUS)


def shapes_of(lines: str) -> str | None:
    """The different lines among `lines`, every digit as 0: those of a burst are few. None where they are not ASCII."""
    if not lines.isascii():
        return None
    return b"\n".join(set(lines.encode().translate(_DIGITS).split(b"\n"))).decode()


def _shortened(text: str) -> str:
    return f"{text[:TEXT_LIMIT_CHARACTERS]} … ({len(text) - TEXT_LIMIT_CHARACTERS:,} more characters)"
