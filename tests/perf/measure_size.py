"""What an installation weighs: this program and everything it needs, without pip."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from tests.perf.bench import ROOT, Row

_MOST_MB = 45
_MOST_PACKAGES = 25


def size() -> Iterator[Row]:
    """Bytes of the installed files (compiled ones included) and number of distributions, from the installed metadata."""
    needed = _closure("sparktui")
    names = sorted(needed)
    own = sum(file.stat().st_size for file in (ROOT / "sparktui").rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    total = own * 2 + sum(_bytes_of(needed[name]) for name in names if name != "sparktui")
    megabytes = total / 1e6
    yield Row("installed size, without pip", f"{megabytes:.1f} MB", f"≤ {_MOST_MB} MB", megabytes <= _MOST_MB)
    yield Row("packages", f"{len(names)}", f"≤ {_MOST_PACKAGES}", len(names) <= _MOST_PACKAGES)


def _closure(root: str) -> dict[str, Distribution]:
    """Every distribution that `root` needs on this platform, itself included, extras left out."""
    found: dict[str, Distribution] = {}
    waiting = [(root, frozenset[str]())]
    asked: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        name = name.lower().replace("_", "-")
        if (name, extras) in asked:
            continue
        asked.add((name, extras))
        try:
            dist = found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        for line in dist.requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def _bytes_of(dist: Distribution) -> int:
    files = [Path(str(file.locate())) for file in dist.files or []]
    listed = {path for path in files if path.is_file()}
    sources = [path for path in listed if path.suffix == ".py"]
    # an installer may leave compiling to the first import: count what that writes
    compiled = sum(path.stat().st_size for path in sources if not any(other.suffix == ".pyc" for other in listed))
    return sum(path.stat().st_size for path in listed) + compiled
