"""The baseline of a run about to be made: looked up in the history once for each cell."""

from __future__ import annotations

from sparktui.core.plans import RunSpec
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.core.stats.baseline import Baseline, choose_baseline
from sparktui.errors import SparkError
from sparktui.io.store.history import History

_MOST_RUNS = 500


class Baselines:
    """Answers from `history` (None = there is none to read) and `config_tok_s`. A history that cannot be read counts as empty."""

    def __init__(self, history: History | None, config_tok_s: float | None) -> None:
        self._history = history
        self._config_tok_s = config_tok_s
        self._known: dict[tuple[str, str, str], Baseline | None] = {}

    def of(self, spec: RunSpec, server: ServerInfo) -> Baseline | None:
        """The newest good cell without a draft for this server, prompt and parameters; else the config's rate; else None."""
        prompt = spec.prompt.info(keep_text=False)
        key = (f"{server.base_url} {server.model}", prompt.sha256, repr(spec.params))
        if key not in self._known:
            coming = RunRecord(id="", started_at="", label=spec.label, status="ok", server=server, prompt=prompt, params=spec.params)
            self._known[key] = choose_baseline(coming, self._candidates(prompt.name), self._config_tok_s)
        return self._known[key]

    def _candidates(self, prompt_name: str) -> list[RunRecord]:
        if self._history is None:
            return []
        quoted = '"' + prompt_name.replace('"', "*") + '"'
        try:
            return self._history.query(f"prompt:{quoted} status:ok warmup:no", limit=_MOST_RUNS)
        except SparkError:
            return []
