"""sparktui: watch a language-model server generate, and know exactly how fast and why."""

__version__ = "0.1.0"
