"""How this program is called, so that what is told to be typed can be typed: `sparktui`, or the run.sh that started it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping

VARIABLE = "SPARKTUI_COMMAND"
_PLAIN = "sparktui"
_COMMANDS = "ask|bench|demo|doctor|explain|history|needle|replay|serve-demo|share|sweep|watch|web"
_TYPED = re.compile(rf"\bsparktui(?= (?:--[a-z]|(?:{_COMMANDS})\b))")


def called_as(env: Mapping[str, str] | None = None) -> str:
    """What to type for `sparktui`, quoted where a shell needs it. run.sh says it in SPARKTUI_COMMAND."""
    command = (os.environ if env is None else env).get(VARIABLE, "").strip()
    return shlex.quote(command) if command else _PLAIN


def as_called(text: str, env: Mapping[str, str] | None = None) -> str:
    """`text` with the commands in it written as they can be typed."""
    command = called_as(env)
    return text if command == _PLAIN else _TYPED.sub(lambda _: command, text)
