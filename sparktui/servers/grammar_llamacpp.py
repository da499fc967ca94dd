"""llama.cpp's server log: the timing block of a task, its acceptance line in old and new wording, live lines, cancelled tasks."""

from __future__ import annotations

import re

from msgspec import Struct

from sparktui.core.log.logrecord import Generation
from sparktui.servers.grammar_base import Found, number, rate, whole

_SLOT = re.compile(r"slot +(\w+)(?:\(\))?: +id +-?\d+ \| task +(-?\d+) \|(.*)", re.DOTALL)
_TIME = re.compile(
    r" *(?P<what>prompt eval|eval|total) time = +(?P<ms>[\d.]+) ms / +(?P<tokens>\d+) (?:tokens|runs)"
    r"(?: \( *[\d.naif]+ ms per token, +(?P<speed>[\d.naif]+) tokens per second\))?"
)
_DRAFT = re.compile(
    r" *draft acceptance(?: rate)? = +(?P<rate>[\d.naif]+) \( *(?P<accepted>\d+) accepted / +(?P<proposed>\d+) generated\)"
    r"(?:, mean (?:acceptance )?len(?:gth)? = +(?P<length>[\d.naif]+))?"
)
_LIVE = re.compile(r" *n_gen = +(?P<tokens>\d+), tg = +(?P<speed>[\d.]+) t/s")
_CANCEL = re.compile(r"srv +\w+(?:\(\))?: cancel task, id_task = (\d+)")
_BLOCK_WORDS = ("prompt eval time", "eval time", "total time", "draft acceptance")
_TASKS_KEPT = 64


class _Block(Struct, gc=False):
    """The timing lines of one task as they come, one figure each."""

    times: dict[str, re.Match[str]]
    draft: re.Match[str] | None = None
    told: bool = False


class LlamaGrammar:
    """One task's figures stand on several lines: its Generation comes with the last of them, the acceptance line or (nothing drafted)
    the release of the slot. Old servers release first and print the block without prefix: there it is held at `total time`, in case
    the acceptance line follows.
    """

    def __init__(self) -> None:
        self._blocks: dict[str, _Block] = {}
        self._released: set[str] = set()
        self._open_block = ""

    def read(self, text: str, starts: bool) -> Found | None:
        if not starts or not text.startswith(("slot", "srv")):
            return self._unprefixed(text, starts)
        self._open_block = ""
        if text.startswith("srv"):
            cancel = _CANCEL.match(text)
            return Found(ended=cancel[1], cancelled=True) if cancel else None
        slot = _SLOT.match(text)
        if slot is None or slot[2].startswith("-"):
            return None
        action, task, rest = slot[1], slot[2], slot[3]
        if action == "print_timing":
            return self._timing(task, rest)
        if action == "release":
            return self._release(task, rest)
        if "processing task" in rest:
            self._released.discard(task)
            self._blocks.pop(task, None)
            return Found(started=task)
        return None

    def _unprefixed(self, text: str, starts: bool) -> Found | None:
        """A line of an old block right behind its head, or an acceptance line all alone. Anything else closes the block."""
        task, self._open_block = self._open_block, ""
        if task and text.lstrip().startswith(_BLOCK_WORDS):
            self._open_block = task
            return self._timing(task, text)
        draft = _DRAFT.match(text) if starts and text.startswith("draft acceptance") else None
        return Found(_generation(None, _Block({}, draft))) if draft else None

    def _timing(self, task: str, rest: str) -> Found | None:
        if not rest.strip():
            self._open_block = task
            self._released.add(task)
            return None
        live = _LIVE.match(rest)
        if live:
            speed, tokens = number(live["speed"]), whole(live["tokens"])
            return Found(Generation(grammar="llamacpp", task=task, completion_tokens=tokens, server_tok_s=speed, note="live"))
        block = self._block(task)
        time = _TIME.match(rest)
        if time:
            block.times[time["what"]] = time
            held = time["what"] == "total" and task in self._released
            return Found(_generation(task, block), hold=True) if held else None
        block.draft = _DRAFT.match(rest)
        if block.draft is None:
            return None
        block.told = True
        return Found(_generation(task, block))

    def _release(self, task: str, rest: str) -> Found:
        block = self._blocks.pop(task, None)
        self._released.add(task)
        if block is None or block.told or "total" not in block.times:
            return Found(ended=task)
        return Found(_generation(task, block, truncated="truncated = 1" in rest), ended=task)

    def _block(self, task: str) -> _Block:
        if task not in self._blocks and len(self._blocks) >= _TASKS_KEPT:
            self._blocks.pop(next(iter(self._blocks)))
        if len(self._released) > _TASKS_KEPT:
            self._released = {task} & self._released
        return self._blocks.setdefault(task, _Block({}))


def _generation(task: str | None, block: _Block, *, truncated: bool = False) -> Generation:
    prompt, decode, total = (block.times.get(what) for what in ("prompt eval", "eval", "total"))
    draft = block.draft
    accepted = whole(draft["accepted"]) if draft else None
    proposed = whole(draft["proposed"]) if draft else None
    return Generation(
        grammar="llamacpp",
        task=task,
        completion_tokens=whole(decode["tokens"]) if decode else None,
        total_s=_seconds(total),
        new_tokens=whole(prompt["tokens"]) if prompt else None,
        prefill_s=_seconds(prompt),
        prefill_tok_s=_speed(prompt),
        decode_s=_seconds(decode),
        server_tok_s=_speed(decode),
        draft_accepted=accepted,
        draft_proposed=proposed,
        acceptance_rate=rate(accepted, proposed),
        mean_acceptance_length=number(draft["length"]) if draft and proposed else None,
        truncated=truncated,
    )


def _seconds(found: re.Match[str] | None) -> float | None:
    value = number(found["ms"]) if found else None
    return value / 1000 if value is not None else None


def _speed(found: re.Match[str] | None) -> float | None:
    """Tokens/s as printed; the 0.00 of a time too short to measure is no figure."""
    return (number(found["speed"]) or None) if found else None
