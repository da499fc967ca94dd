"""Which kind of file system a path is on: locks and shared memory do not work over a network."""

from __future__ import annotations

import sys
from pathlib import Path

NETWORK = frozenset(
    {
        "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "9p", "afs", "ceph",
        "glusterfs", "lustre", "gpfs", "beegfs", "orangefs", "pvfs2", "davfs", "macfuse", "osxfuse",
        "fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.rclone", "fuse.davfs",
    }
)  # fmt: skip
_MOUNTS = Path("/proc/self/mounts")


def mounted(path: Path) -> list[tuple[str, str]]:
    """(mount point, file system type) of everything mounted that holds `path`, the nearest last."""
    real = str(path.resolve())
    found = [(point, kind) for point, kind in _mounts() if real == point or real.startswith(point.rstrip("/") + "/")]
    return sorted(found, key=lambda mount: len(mount[0]))


def is_network(path: Path) -> bool:
    """True where `path` is on a network file system; False too where that cannot be told."""
    holding = mounted(path)
    return bool(holding) and holding[-1][1].lower() in NETWORK


def _mounts() -> list[tuple[str, str]]:
    if sys.platform == "linux":
        try:
            lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except OSError:
            return []
        fields = [line.split(" ") for line in lines]
        return [(_unescaped(parts[1]), parts[2]) for parts in fields if len(parts) > 2]
    import psutil

    return [(part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)]


def _unescaped(point: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, character)
    return point
