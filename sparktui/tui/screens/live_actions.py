"""What the keys of the live screen do: run, cancel, look. Nothing here paints."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Literal

from sparktui.core.commands import Bench, CancelRun, RetryServer, Run
from sparktui.core.figures.phase import planned
from sparktui.core.plans import PromptSpec
from sparktui.core.records import RunParams
from sparktui.errors import EXIT_INTERRUPTED, EXIT_OK
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.live.layout import PANELS
from sparktui.tui.screens.base import Action, SparkScreen
from sparktui.tui.screens.confirm import Answer, Confirm
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.log_panel import LogPanel
from sparktui.tui.widgets.prompt_bar import PromptBar
from sparktui.tui.widgets.stream_view import StreamView

if TYPE_CHECKING:
    from sparktui.tui.live.layout import Layout, Panel
    from sparktui.tui.screens.live_paint import LivePainter

_ESCAPE_AGAIN_NS = 2_000_000_000
_PROMPT_NAME = "prompt"


class LiveActions(SparkScreen):
    """The `act_…` methods of the key table, and the messages of the live screen's widgets."""

    painter: LivePainter | None = None
    layout_now: Layout
    zoomed: Panel | None = None
    temperature: int | float | None = None
    max_tokens: int | None = None
    prompt_open = False
    _escaped_ns: int | None = None
    _filtered: Panel = "log"

    @property
    def busy(self) -> bool:
        """A run is in flight, or a plan between two of its runs."""
        return bool(self.spark.session.active) or planned(self.spark.session)

    def place_parts(self) -> None: ...
    def repaint_all(self) -> None: ...
    def zoom(self, panel: Panel | None) -> None: ...
    def focused_panel(self) -> Panel | None: ...

    # --- run

    def act_story(self) -> None:
        self._run_preset("story")

    def act_code(self) -> None:
        self._run_preset("code")

    def act_bench(self) -> None:
        bench = self.spark.options.bench
        runs = len(bench.prompts) * len(bench.temps) * (bench.runs + bench.warmup)
        temperatures = ", ".join(numbers.temperature(temperature) for temperature in bench.temps)
        lines = (
            f"{shown(', '.join(bench.prompts))} at T {temperatures}, {bench.runs} runs a cell and {bench.warmup} to warm up",
            f"{runs} requests, {bench.parallel} at a time, label {shown(bench.label)}, max {numbers.count(self.max_tokens)} tokens",
        )
        self._ask("Run the benchmark?", lines, {"enter": ("start", self._send_bench)})

    def act_prompt(self) -> None:
        self._open_line("prompt")

    def act_temperature(self) -> None:
        self._open_line("temperature", "" if self.temperature is None else numbers.temperature(self.temperature))

    def act_max_tokens(self) -> None:
        self._open_line("max tokens", "" if self.max_tokens is None else str(self.max_tokens))

    def act_cancel(self) -> None:
        """Cancel the run on screen; in a plan, or with more in flight, all of it."""
        session = self.spark.session
        everything = planned(session) or len(session.active) > 1
        run = session.current
        self.spark.send(CancelRun(run_id=None if everything or run is None else run.run_id, everything=everything))

    def act_escape(self) -> None:
        now_ns = self.spark.clock_ns()
        if self.zoomed is not None:
            self.zoom(None)
        elif self.busy and not self.spark.options.read_only:
            if self._escaped_ns is not None and now_ns - self._escaped_ns < _ESCAPE_AGAIN_NS:
                self._escaped_ns = None
                self.act_cancel()
                return
            self._escaped_ns = now_ns
            self.say("esc again cancels the run")

    def act_retry(self) -> None:
        self.spark.send(RetryServer())

    def act_demo(self) -> None:
        self.spark.send(RetryServer(demo=True))

    def act_choose(self) -> None:
        server = self.spark.session.server
        number = int(self.pressed) if self.pressed.isdigit() else 0
        if server is not None and 1 <= number <= len(server.candidates):
            self.spark.send(RetryServer(base_url=server.candidates[number - 1]))

    def more_commands(self) -> Iterable[tuple[str, str, Action]]:
        """The prompts that have no key."""
        keyed = ("story", "code")
        names = [name for name in self.spark.options.prompts if name not in keyed and "ready" in self.facts()]
        return [(f"stream the {name} prompt", "prompts in config.yml", partial(self._run_preset, name)) for name in names]

    # --- look

    def act_view(self) -> None:
        self.query_one(StreamView).next_view()
        self.repaint_all()

    def act_zoom(self) -> None:
        panel = self.focused_panel() or "stream"
        self.zoom(None if self.zoomed is not None else panel)

    def act_pause(self) -> None:
        if self.painter is not None:
            self.painter.paused ^= {self.focused_panel() or "stream"}
            self.repaint_all()

    def act_follow(self) -> None:
        self.query_one(StreamView).action_scroll_end()

    def act_raw_log(self) -> None:
        panel = self.query_one(LogPanel)
        panel.raw = not panel.raw
        self.repaint_all()

    def act_filter(self) -> None:
        """Filter the log where it has the focus or stands alone, else the history."""
        self._filtered = "log" if self.focused_panel() == "log" or self.layout_now.mode != "wide" else "history"
        history = self.painter.history.filter if self.painter is not None else ""
        self._open_line("filter", history if self._filtered == "history" else self.query_one(LogPanel).filter)

    def act_next_panel(self) -> None:
        seen = [panel for panel in PANELS if self._in_sight(panel)]
        at = seen.index(panel) + 1 if (panel := self.focused_panel()) in seen else 0
        self._focus(seen[at % len(seen)])

    def act_focus_stream(self) -> None:
        self._focus("stream")

    def act_focus_meter(self) -> None:
        self._focus("meter")

    def act_focus_log(self) -> None:
        self._focus("log")

    def act_focus_history(self) -> None:
        self._focus("history")

    # --- keep

    def act_mark(self) -> None:
        self.query_one(HistoryTable).toggle_mark()

    def act_medians(self) -> None:
        if self.painter is not None:
            self.painter.history.medians = not self.painter.history.medians
            self.repaint_all()

    def act_sort(self) -> None:
        if self.painter is not None:
            self.painter.history.sort_next()

    def act_copy(self) -> None:
        """The selected text, else the whole text of the run on screen, to the terminal's clipboard."""
        text = self.get_selected_text() or self.query_one(StreamView).text.text()
        if text:
            self.app.copy_to_clipboard(text)
            self.say(f"{len(text):,} characters sent to the terminal; if it takes them, they are in the clipboard")

    # --- app

    def act_quit(self) -> None:
        if not self.busy or self.spark.options.read_only:
            self.app.exit(0)
            return
        plan = self.spark.session.plan
        sweeps = plan is not None and plan.kind == "sweep" and planned(self.spark.session)
        lines = ("What arrived so far is kept.", *(("The server is put back first; that takes as long as a load.",) if sweeps else ()))
        self._ask("A sweep is running." if sweeps else "A run is in flight.", lines, {"q": ("cancel it and quit", self._cancel_and_quit)})

    def act_interrupt(self) -> None:
        """Ctrl+C: copy selected text, else cancel what runs, else offer to quit."""
        if self.get_selected_text():
            self.act_copy()
        elif self.busy and not self.spark.options.read_only:
            self.act_cancel()
        else:
            self._ask("Quit?", (), {"q": ("quit", lambda: self.app.exit(0))}, also="ctrl+c")

    def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information", title: str = "") -> None:
        """A short notice. `text` may be foreign: it is scrubbed and never read as markup."""
        self.app.notify(shown(text, keep_newlines=True), title=shown(title), severity=severity, markup=False)

    def tell_trouble(self) -> None:
        """An error event, or the end of the worker."""
        session = self.spark.session
        if session.error is not None:
            error = session.error
            detail = "\n".join(part for part in (error.detail, f"→ {error.hint}" if error.hint else "") if part)
            told = error.exit_code in (EXIT_OK, EXIT_INTERRUPTED)
            self.say(detail or error.title, title=error.title if detail else "", severity="information" if told else "error")

    def paste_prompt(self, text: str) -> None:
        """Text pasted outside the line becomes a prompt to look at, not keys."""
        if "ready" in self.facts():
            self._open_line("prompt")
            self.query_one(PromptBar).line.paste(text)

    def on_prompt_bar_sent(self, event: PromptBar.Sent) -> None:
        self._run(PromptSpec(name=_PROMPT_NAME, text=event.text))
        self.set_focus(self.query_one(StreamView))

    def on_prompt_bar_set(self, event: PromptBar.Set) -> None:
        if event.what == "temperature":
            self.temperature = event.value
        else:
            self.max_tokens = None if event.value is None else int(event.value)
        self.set_focus(self.query_one(StreamView))
        self.repaint_all()

    def on_prompt_bar_filtered(self, event: PromptBar.Filtered) -> None:
        if self._filtered == "history" and self.painter is not None:
            self.painter.history.filter = event.text
        else:
            self.query_one(LogPanel).filter = event.text
        self._focus(self._filtered)
        self.repaint_all()

    def on_prompt_bar_refused(self, event: PromptBar.Refused) -> None:
        self.say(event.why, severity="warning")

    def on_prompt_bar_closed(self, event: PromptBar.Closed) -> None:
        if self.prompt_open:
            self.prompt_open = False
            self.place_parts()
        if self.focused is None or self.focused is self.query_one(PromptBar).line:
            self.set_focus(self.query_one(StreamView))
        self.repaint_all()

    def on_stream_view_scrolled(self, event: StreamView.Scrolled) -> None:
        if self.painter is not None:
            self.painter.stream_status()

    def on_log_panel_chosen(self, event: LogPanel.Chosen) -> None:
        """A click in the log puts the history's cursor on the run of the record."""
        run_id = self.spark.session.run_of_log(event.n)
        if run_id:
            self.query_one(HistoryTable).go_to(run_id)

    def on_log_panel_scrolled(self, event: LogPanel.Scrolled) -> None:
        if self.painter is not None:
            self.painter.log_status()

    def _run_preset(self, name: str) -> None:
        prompt = self.spark.options.prompts.get(name)
        if prompt is None:
            self.say(f"there is no prompt named {name}; prompts in config.yml lists them", severity="warning")
        else:
            self._run(prompt)

    def command_for(self, prompt: PromptSpec) -> Run:
        """What runs a prompt with the parameters that are set on the screen."""
        params = RunParams(temperature=self.temperature, max_tokens=self.max_tokens, extra=prompt.params)
        return Run(prompt=prompt, params=params, label=self.spark.options.label)

    def _run(self, prompt: PromptSpec) -> None:
        command = self.command_for(prompt)
        if not self.busy:
            self._send_run(command)
            return
        answers: dict[str, tuple[str, Callable[[], None]]] = {
            "q": ("queue it: it starts when that ends", lambda: self._send_run(command)),
            "x": ("cancel what runs, then start it", lambda: self._cancel_then(command)),
        }
        self._ask("A run is in flight.", (), answers)

    def _send_run(self, command: Run) -> None:
        if not self.spark.send(command):
            self.say("the measuring process is gone; nothing was sent", severity="error")

    def _cancel_then(self, command: Run) -> None:
        self.spark.send(CancelRun(everything=True))
        self._send_run(command)

    def _send_bench(self) -> None:
        self.spark.send(Bench(max_tokens=self.max_tokens))

    def _cancel_and_quit(self) -> None:
        self.spark.send(CancelRun(everything=True))
        self.app.exit(0)

    def _open_line(self, what: Literal["prompt", "temperature", "max tokens", "filter"], value: str = "") -> None:
        if self.layout_now.mode == "small" or self.zoomed is not None:
            self.zoomed = None
            self.prompt_open = True
            self.place_parts()
        self.query_one(PromptBar).ask(what, value)

    def _ask(
        self, title: str, lines: tuple[str, ...], answers: dict[str, tuple[str, Callable[[], None]]], *, also: str = ""
    ) -> None:
        """A question over the screen; `also` is one more key for the first answer."""
        first = next(iter(answers), "")
        listed = [Answer((key, also) if also and key == first else (key,), key, text) for key, (text, _) in answers.items()]

        def answered(key: str | None) -> None:
            if key:
                answers[key][1]()

        self.app.push_screen(Confirm(title, lines, listed), answered)

    def _in_sight(self, panel: str) -> bool:
        widget = self.query_one(f"#{panel}")
        return widget.display and bool(widget.size)

    def _focus(self, panel: Panel) -> None:
        if self._in_sight(panel):
            self.set_focus(self.query_one(f"#{panel}"))
