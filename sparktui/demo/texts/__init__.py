"""What the demo server says: stories and Python modules written for this project."""

from __future__ import annotations


def unwrap(source: str) -> str:
    """Paragraphs as a model writes them: one line each, an empty line between, a line end after the last."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in source.split("\n\n"))
    return "\n\n".join(paragraphs) + "\n"
