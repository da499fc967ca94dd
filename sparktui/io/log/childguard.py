"""Run by file name, with nothing of the package: `python -I -S childguard.py COMMAND …`. Keeps a command from outliving who asked for it.

It leads a process group of its own; when its stdin ends (its parent closed it, or died in whatever way), or on SIGTERM, the whole group is
told to end, and killed 1 s later. Exit code: the command's; 127 not found, 126 not runnable.
"""

import os
import select
import signal
import sys

_GRACE_S = 1.0


def main(argv: list[str]) -> int:
    wake_read, wake_write = os.pipe()
    for fd in (wake_read, wake_write):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(wake_write)
    asked: list[int] = []
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        child = os.posix_spawnp(
            argv[0], argv, dict(os.environ), file_actions=[(os.POSIX_SPAWN_DUP2, null, 0)], setsigdef=[signal.SIGINT, signal.SIGTERM]
        )
    except FileNotFoundError:
        print(f"command not found: {argv[0]}", file=sys.stderr)
        return 127
    except OSError as error:
        print(f"{argv[0]}: {error.strerror}", file=sys.stderr)
        return 126
    while True:
        ready, _, _ = select.select([0, wake_read], [], [])
        if wake_read in ready:
            os.read(wake_read, 64)
        ended = code_if_ended(child)
        if ended is not None:
            end_group()
            return ended
        if asked or (0 in ready and not os.read(0, 1)):
            end_group()
            wait_for(child, wake_read)
            os.killpg(0, signal.SIGKILL)


def code_if_ended(child: int) -> int | None:
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid == 0:
        return None
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def end_group() -> None:
    os.killpg(0, signal.SIGTERM)


def wait_for(child: int, wake_read: int) -> None:
    """Until the child has ended, at most the grace time."""
    for _ in range(int(_GRACE_S / 0.05)):
        try:
            if os.waitpid(child, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            return
        select.select([], [], [], 0.05)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
