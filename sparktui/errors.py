"""The one error tree: what happened, the detail, what to do about it, and the exit code it means."""

from __future__ import annotations

EXIT_OK = 0
EXIT_RUN_FAILED = 1
EXIT_USAGE = 2
EXIT_UNREACHABLE = 3
EXIT_INTERRUPTED = 4
EXIT_INTERNAL = 5


class SparkError(Exception):
    """An error a person reads: `title` is one sentence, `hint` says what to do. Never holds a secret."""

    exit_code = EXIT_INTERNAL

    def __init__(self, title: str, *, detail: str = "", hint: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(part for part in (self.title, self.detail, self.hint and f"→ {self.hint}") if part)


class UsageError(SparkError):
    """A bad option, argument or combination of them."""

    exit_code = EXIT_USAGE


class ConfigError(SparkError):
    """A config file that cannot be used; the title names file, line and key."""

    exit_code = EXIT_USAGE


class UnreachableError(SparkError):
    """No server answers, or it refuses us (connection, TLS, key, path)."""

    exit_code = EXIT_UNREACHABLE


class RunFailedError(SparkError):
    """A request was sent and did not end well."""

    exit_code = EXIT_RUN_FAILED


class StorageError(SparkError):
    """History, journal or export cannot be read or written."""

    exit_code = EXIT_RUN_FAILED


class InterruptedRunError(SparkError):
    """The user stopped the command; what was finished is saved."""

    exit_code = EXIT_INTERRUPTED
