"""Foreign text made safe for a terminal: nothing in it can move the cursor, change colours or turn the reading order."""

from __future__ import annotations

import re

from sparktui.core.masking import mask_secrets, mask_url

__all__ = ["TAB", "mask_secrets", "mask_url", "scrub"]

TAB = "    "
_UNSHOWABLE = "\u2426"

_UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f"  # controls, C1 among them; the line end is handled apart
    "\xad\u061c\u180e\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f"  # soft hyphen, direction marks and overrides, separators
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"  # lone surrogates, annotations, noncharacters, invisible tags
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U000efffe\U000effff\U000ffffe\U000fffff\U0010fffe\U0010ffff]"
)
_SHOWN_AS = {
    **{chr(code): chr(0x2400 + code) for code in range(0x20)},
    "\x7f": "\u2421",
    "\t": TAB,
    "\u2028": "\u2424",
    "\u2029": "\u2424",
    "\xad": "",
}


def scrub(text: str, *, keep_newlines: bool = True) -> str:
    """`text` fit to be shown: control characters as their pictures (␛ for escape), tabs as four blanks, what has no picture as ␦.

    Every character is judged alone, so text may come in pieces. CR LF is one line end; without `keep_newlines` a line end becomes a blank.
    Invisible tags and soft hyphens go. Joiners and variation selectors stay: their width is for whoever lays the text out.
    """
    if text.isprintable() and text.isascii():
        return text
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if not keep_newlines and "\n" in text:
        text = text.replace("\n", " ")
    return _UNSAFE.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    character = found[0]
    if character >= "\U000e0000" and character <= "\U000e007f":
        return ""
    return _SHOWN_AS.get(character, _UNSHOWABLE)
