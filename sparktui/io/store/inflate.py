"""Compressed columns of a history, unpacked within bounds: a file may come from anywhere."""

from __future__ import annotations

import zlib

# a hundred times the texts of a prompt of a million tokens
_MOST_BYTES = 256 << 20


def inflate(data: bytes) -> bytes:
    """The bytes that were packed with zlib. Raises zlib.error where they are damaged, cut off, or more than a run can hold."""
    unpacking = zlib.decompressobj()
    body = unpacking.decompress(data, _MOST_BYTES)
    if not unpacking.eof:
        raise zlib.error("cut off, or more than a run can hold")
    return body
