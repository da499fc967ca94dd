"""The baseline of a run about to be made, or made before it was known: from the history and from what this session has measured."""

from __future__ import annotations

from sparktui.core.plans import RunSpec
from sparktui.core.records import RunRecord, ServerInfo
from sparktui.core.stats.baseline import Baseline, choose_baseline, drafted
from sparktui.errors import SparkError
from sparktui.io.store.history import History
from sparktui.io.store.rows import without_texts

_MOST_RUNS = 500

_Question = tuple[str, str, str]


class Baselines:
    """Answers from `history` (None = there is none to read), this session's own runs and `config_tok_s`, each looked up once.

    A history that cannot be read counts as empty.
    """

    def __init__(self, history: History | None, config_tok_s: float | None) -> None:
        self._history = history
        self._config_tok_s = config_tok_s
        self._known: dict[_Question, Baseline | None] = {}
        self._own: dict[str, RunRecord] = {}

    def of(self, spec: RunSpec, server: ServerInfo) -> Baseline | None:
        """The newest good cell without a draft for this server, prompt and parameters; else the config's rate; else None."""
        prompt = spec.prompt.info(keep_text=False)
        coming = RunRecord(id="", started_at="", label=spec.label, status="ok", server=server, prompt=prompt, params=spec.params)
        key = _question(coming)
        if key not in self._known:
            self._known[key] = self.against(coming)
        return self._known[key]

    def against(self, record: RunRecord) -> Baseline | None:
        """What `record` is measured against as things are now."""
        stored = {run.id: run for run in self._stored(record)}
        return choose_baseline(record, {**self._own, **stored}.values(), self._config_tok_s)

    def note(self, record: RunRecord) -> None:
        """A run was made, or more became known of it. One without a draft may be the baseline of those that follow."""
        if record.status != "ok" or record.warmup or drafted(record) is not False:
            return
        self._own[record.id] = without_texts(record)
        if len(self._own) > _MOST_RUNS:
            del self._own[next(iter(self._own))]
        self._known.pop(_question(record), None)

    def _stored(self, record: RunRecord) -> list[RunRecord]:
        if self._history is None:
            return []
        try:
            return self._history.baseline_candidates(record, _MOST_RUNS)
        except SparkError:
            return []


def _question(record: RunRecord) -> _Question:
    return f"{record.server.base_url} {record.server.model}", record.prompt.sha256, repr(record.params)
