"""The newest log of a folder or a glob, and when to change to a newer one."""

from __future__ import annotations

import glob
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from sparktui.io.log.logsource import Item, Status
from sparktui.io.log.logtail import FileTail

_RESCAN_S = 2.0
_SILENT_S = 10.0
_PACKED = (".zip", ".gz", ".bz2", ".xz", ".zst")


class _Candidate(Struct, frozen=True):
    mtime_ns: int
    path: Path
    size: int
    identity: tuple[int, int]

    @property
    def age_key(self) -> tuple[int, str]:
        return self.mtime_ns, self.path.name


class NewestTail:
    """Follows the newest file that matches `pattern`. Changes to a file that appears later (a server writes a new one per start), and,
    when its own has been silent for 10 s, to an older one that grows."""

    def __init__(self, pattern: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._pattern = pattern
        self._clock = clock
        self._known: dict[Path, _Candidate] = {}
        self._tail: FileTail | None = None
        self._scanned = -_RESCAN_S
        self._folder_mtime = -1
        self._grew = 0.0
        self._waiting = False

    def close(self) -> None:
        if self._tail is not None:
            self._tail.close()

    def poll(self) -> tuple[list[Item], bool]:
        """As FileTail.poll."""
        items: list[Item] = []
        self._choose(items)
        if self._tail is None:
            if not self._waiting:
                self._waiting = True
                items.append(Status("waiting", f"no log matches {self._pattern} yet"))
            return items, False
        read, more = self._tail.poll()
        if read:
            self._grew = self._clock()
        return items + read, more

    def _choose(self, items: list[Item]) -> None:
        if not self._due():
            return
        found = _scan(self._pattern)
        known, self._known = self._known, {candidate.path: candidate for candidate in found}
        if self._tail is None:
            if found:
                # a folder that was empty when following began: its first file is new from its first line on
                self._change(max(found, key=lambda one: one.age_key), 0 if self._waiting else None, items)
            return
        mine = self._tail.identity
        my_time = next((one.mtime_ns for one in found if one.identity == mine), 0)
        others = [candidate for candidate in found if candidate.identity != mine]
        newer = [candidate for candidate in others if candidate.path not in known and candidate.mtime_ns >= my_time]
        if newer:
            self._change(max(newer, key=lambda one: one.age_key), 0, items)
        elif self._clock() - self._grew >= _SILENT_S:
            grown = [one for one in others if one.path in known and one.size > known[one.path].size]
            if grown:
                chosen = max(grown, key=lambda one: one.age_key)
                self._change(chosen, known[chosen.path].size, items)

    def _due(self) -> bool:
        now = self._clock()
        mtime = self._folder_time()
        if mtime == self._folder_mtime and now - self._scanned < _RESCAN_S:
            return False
        self._scanned, self._folder_mtime = now, mtime
        return True

    def _folder_time(self) -> int:
        try:
            return Path(self._pattern).parent.stat().st_mtime_ns
        except OSError:
            return -2

    def _change(self, candidate: _Candidate, start: int | None, items: list[Item]) -> None:
        first = self._tail is None
        if self._tail is not None:
            items += self._tail.drain()
            self._tail.close()
        self._tail = FileTail(candidate.path, start=start, clock=self._clock)
        self._grew = self._clock()
        if not first:
            items.append(Status("switched", f"{candidate.path.name} is newer", candidate.path.name))


def newest_match(pattern: str) -> Path | None:
    """The newest file a glob matches, packed ones left out; None where there is none."""
    found = _scan(pattern)
    return max(found, key=lambda one: one.age_key).path if found else None


def _scan(pattern: str) -> list[_Candidate]:
    found = []
    # Path.glob takes no absolute pattern
    for name in glob.glob(pattern):  # noqa: PTH207
        if name.endswith(_PACKED):
            continue
        try:
            info = Path(name).stat()
        except OSError:
            continue
        found.append(_Candidate(info.st_mtime_ns, Path(name), info.st_size, (info.st_dev, info.st_ino)))
    return found
