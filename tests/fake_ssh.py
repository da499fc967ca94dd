"""A program shaped like ssh that goes nowhere: `fake_ssh.py [OPTIONS] HOST COMMAND…` runs the words after HOST in a shell of this machine.

What is killed is the line, as with ssh: the command at its other end finds its pipes closed and lives on. The host decides what happens:
`refused`, `unknown`, `locked`, `changed` fail as ssh does there; `bare` has no sparktui; anything else works, with a banner before it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

FAILURES = {
    "refused": "ssh: connect to host refused port 22: Connection refused",
    "unknown": "ssh: Could not resolve hostname unknown: Name or service not known",
    "locked": "me@locked: Permission denied (publickey,password).",
    "changed": "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nHost key verification failed.",
}


def main(argv: list[str]) -> int:
    words = iter(argv)
    host = ""
    for word in words:
        if word == "-o":
            next(words)
        elif not word.startswith("-"):
            host = word
            break
    if host in FAILURES:
        print(FAILURES[host], file=sys.stderr)
        return 255
    env = {**os.environ, "PATH": "/usr/bin:/bin"} if host == "bare" else dict(os.environ)
    print("Welcome to this machine.\nLast login: yesterday", flush=True)
    child = subprocess.Popen(
        ["/bin/sh", "-c", " ".join(words)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True,
    )  # fmt: skip
    assert child.stdin and child.stdout and child.stderr
    threading.Thread(target=pump, args=(0, child.stdin.fileno(), child.stdin.close), daemon=True).start()
    threading.Thread(target=pump, args=(child.stderr.fileno(), 2, lambda: None), daemon=True).start()
    pump(child.stdout.fileno(), 1, lambda: None)
    return child.wait()


def pump(source: int, target: int, end: object) -> None:
    while block := os.read(source, 65536):
        try:
            os.write(target, block)
        except OSError:
            break
    if callable(end):
        end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
