"""The command line's front door: finds the command, imports only that, and turns errors into a message and an exit code."""

from __future__ import annotations

import errno
import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType

from sparktui import __version__
from sparktui.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_OK, SparkError, UsageError

COMMANDS = MappingProxyType({
    "bench": ("sparktui.cli.bench", "measure: prompts × temperatures × runs, a table, exports"),
    "ask": ("sparktui.cli.ask", "one prompt; its text to stdout as it arrives"),
    "needle": ("sparktui.cli.needle", "long-context retrieval with prefill rate and memory"),
    "sweep": ("sparktui.cli.sweep", "compare the settings listed in config"),
    "watch": ("sparktui.cli.watch", "look on while a bench runs in another terminal"),
    "replay": ("sparktui.cli.replay", "play stored runs back at true speed"),
    "history": ("sparktui.cli.history", "list, show, export, compare, label, rm, import"),
    "explain": ("sparktui.cli.explain", "where a run's time went"),
    "report": ("sparktui.cli.report", "a page of chosen runs, .html or .md"),
    "share": ("sparktui.cli.share", "a run as one small file that plays anywhere, or a picture"),
    "log": ("sparktui.cli.log", "a server log as one JSON line per generation"),
    "doctor": ("sparktui.cli.doctor", "check config, server, log and terminal"),
    "demo": ("sparktui.cli.demo", "a minute's guided tour on the simulated server"),
    "serve-demo": ("sparktui.cli.serve_demo", "the simulated server alone, on a port"),
    "worker": ("sparktui.cli.worker", "the measuring process (JSON lines on stdin and stdout)"),
    "web": ("sparktui.cli.web", "the screen in a browser, loopback only"),
})  # fmt: skip
"""Command → its module (`add_arguments(parser)`, `run(args) -> int`) and one line of help. A module that is not there is not offered."""

_SCREEN = "sparktui.cli.screen"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Nothing escapes but a second interrupt."""
    from sparktui.cli import streams

    streams.soften()
    arguments = list(sys.argv[1:] if argv is None else argv)
    parsed: list[object] = []
    try:
        code = _dispatch(arguments, parsed)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except SparkError as error:
        streams.say(f"sparktui: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        streams.silence_stdout()
        return EXIT_OK
    except OSError as error:
        if error.errno != errno.EIO:
            return _crashed(error, arguments, parsed)
        # the terminal went away
        streams.silence_stdout()
        return EXIT_INTERRUPTED
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else EXIT_OK
    except Exception as error:  # noqa: BLE001 - the edge of the program: whatever went wrong becomes a report and one line
        return _crashed(error, arguments, parsed)


def available() -> dict[str, str]:
    """The commands that are there, with their help."""
    return {name: text for name, (module, text) in COMMANDS.items() if find_spec(module) is not None}


def _dispatch(arguments: list[str], parsed: list[object]) -> int:
    first = arguments[0] if arguments else ""
    if first in {"--version", "-V"}:
        print(f"sparktui {__version__}")
        return EXIT_OK
    if first in {"--help", "-h", "help"}:
        print(_help(), end="")
        return EXIT_OK
    if not first or first.startswith("-"):
        return _run(_SCREEN, "sparktui", "Watch the server generate, live.", arguments, parsed)
    if first not in COMMANDS or find_spec(COMMANDS[first][0]) is None:
        _refuse(first)
    module, text = COMMANDS[first]
    return _run(module, f"sparktui {first}", text, arguments[1:], parsed)


def _run(module_name: str, prog: str, description: str, arguments: list[str], parsed: list[object]) -> int:
    from sparktui.cli.parser import Parser

    # nothing that an import makes is garbage: looking for some took a fifth of the start
    gc.disable()
    try:
        module = import_module(module_name)
        parser = Parser(prog, description[:1].upper() + description[1:])
        module.add_arguments(parser)
        args = parser.parse_args(arguments)
    finally:
        gc.enable()
    parsed.append(args)
    return int(module.run(args))


def _refuse(name: str) -> None:
    from sparktui.core.nearest import did_you_mean

    near = did_you_mean(name, available())
    raise UsageError(f"There is no command {name!r}.", hint=near or "sparktui --help lists the commands.")


def _help() -> str:
    lines = ["usage: sparktui [COMMAND] [OPTIONS]", ""]
    lines += ["Without a command: the live screen (--demo: on the simulated server, --ssh HOST: measure there).", ""]
    lines += [f"  {name:<11} {text}" for name, text in available().items()]
    lines += [
        "",
        "sparktui COMMAND --help tells a command's options; sparktui --version the version.",
        "Exit codes: 0 ok, 1 a run failed, 2 usage or config, 3 server unreachable or refused, 4 interrupted, 5 internal error.",
    ]
    return "\n".join(lines) + "\n"


def _crashed(error: Exception, arguments: list[str], parsed: list[object]) -> int:
    from sparktui.cli.streams import say
    from sparktui.io.crashreport import write_crash_report

    command = arguments[0] if arguments and arguments[0] in COMMANDS else "screen"
    loaded = getattr(parsed[0], "loaded", None) if parsed else None
    where = write_crash_report(error, command, loaded.secrets if loaded is not None else ())
    say(f"sparktui: internal error ({type(error).__name__}); " + (f"report: {where}" if where else "no report could be written"))
    return EXIT_INTERNAL
