"""The line to another machine: the command that makes it, by the user's own ssh, and what its last words mean."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from msgspec import Struct

PROGRAM_VARIABLE = "SPARKTUI_SSH"
LINE_LOST = 255
_NOT_FOUND = 127
# a shell that is not a login shell does not know where pip --user, pipx and uv put commands
_REMOTE = 'PATH="$PATH:$HOME/.local/bin" exec '


class Fault(Struct, frozen=True):
    """Why there is no worker. `lasting`: trying again by itself would bring the same."""

    title: str
    hint: str
    lasting: bool = True


def ssh_argv(host: str, worker: Sequence[str], env: Mapping[str, str], command: Sequence[str] = ()) -> list[str]:
    """`ssh -T -o BatchMode=yes HOST …`, or the program that SPARKTUI_SSH names (with its own options) in ssh's place.

    `command` (else `sparktui worker`) is what runs at HOST, `worker` its options. Keys, ports, jumps and shared connections are the
    user's own configuration. BatchMode, because stdin is the worker's and a question would be asked over the screen.
    """
    program = shlex.split(env.get(PROGRAM_VARIABLE, "")) or ["ssh"]
    words = shlex.join([*(command or ("sparktui", "worker")), *worker])
    return [*program, "-T", "-o", "BatchMode=yes", "--", host, f"sh -c {shlex.quote(_REMOTE + words)}"]


def explain(place: str, code: int | None, said: Sequence[str]) -> Fault:
    """What it means that no worker answered at `place`: by the exit code and what was printed beside the events."""
    text = "\n".join(said)
    lowered = text.casefold()
    for word, title, hint, lasting in _WORDS:
        if word in lowered:
            return Fault(title.format(place=place), hint.format(place=place), lasting)
    if code == _NOT_FOUND or "no module named sparktui" in lowered:
        where = f"Install it there, or say where it is: --worker-command '/path/to/sparktui worker' (with --ssh {place})."
        return Fault(f"sparktui was not found at {place}.", where)
    last = said[-1] if said else f"exit code {code}"
    if code == LINE_LOST:
        return Fault(f"The line to {place} is lost: {last}.", "", lasting=False)
    return Fault(f"No worker answered at {place}: {last}.", "Try the same command by hand; its first line must be a JSON object.")


_WORDS = (
    (
        "remote host identification has changed",
        "The host key of {place} is not the one known here.",
        "Find out why. If it is right, remove the old one: ssh-keygen -R {place}",
        True,
    ),
    ("host key verification failed", "The host key of {place} is not known here yet.", "Run once by hand: ssh {place}", True),
    (
        "permission denied",
        "{place} does not let you in without a question, and the screen cannot ask it.",
        "ssh-add your key, or open a shared connection first (ControlMaster) with: ssh {place}",
        True,
    ),
    ("too many authentication failures", "{place} was offered too many keys.", "Name the right one in ~/.ssh/config (IdentityFile).", True),
    ("could not resolve hostname", "There is no host named {place}.", "See the spelling, and Host in ~/.ssh/config.", True),
    ("unrecognized arguments: --linger", "sparktui at {place} is too old for this screen.", "Install the same version at both ends.", True),
    ("connection refused", "{place} refuses ssh connections.", "Is sshd running there? Is the port right (Port in ~/.ssh/config)?", False),
    ("no route to host", "There is no way to {place} from here.", "Is it on, and in the same network?", False),
    ("network is unreachable", "There is no network here.", "It is tried again.", False),
    ("timed out", "{place} does not answer.", "Is it on, and in the same network?", False),
)  # fmt: skip
"""Beginnings of what ssh (and we) say, in any case; what is meant, and what to do about it."""
