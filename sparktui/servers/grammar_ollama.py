"""Ollama's log: the drafting line of its MLX runner (slog `key=value`), and the lines its llama-server child prints through it."""

from __future__ import annotations

import re

from sparktui.core.log.logrecord import Generation
from sparktui.servers.grammar_base import Found, rate, whole
from sparktui.servers.grammar_llamacpp import LlamaGrammar

_MLX = 'msg="speculative decode stats"'
_PAIR = re.compile(r" (\w+)=(\"[^\"]*\"|\S*)")


class OllamaGrammar:
    """`iterations` of the MLX line include rounds without a draft: they are no verify steps, so there is no length to give."""

    def __init__(self) -> None:
        self._child = LlamaGrammar()

    def read(self, text: str, starts: bool) -> Found | None:
        if not starts or not text.startswith(_MLX):
            return self._child.read(text, starts)
        values = dict(_PAIR.findall(text[len(_MLX) :]))
        accepted, proposed = whole(values.get("accepted")), whole(values.get("drafted"))
        rounds = whole(values.get("iterations"))
        return Found(
            Generation(
                grammar="ollama",
                draft_accepted=accepted,
                draft_proposed=proposed,
                acceptance_rate=rate(accepted, proposed),
                note=f"{rounds} rounds, plain ones included" if rounds is not None else "",
            )
        )
