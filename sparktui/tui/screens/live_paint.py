"""From the session to the live screen's widgets: in each frame only what changed, the newest block and its column together."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sparktui.core.events import Server
from sparktui.core.expect import prefill_of
from sparktui.core.figures.phase import Phase, phase_of, planned
from sparktui.core.liverun import LiveRun
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.frame import Due
from sparktui.tui.drawing.pen import Ink
from sparktui.tui.drawing.spark import SparkHistory
from sparktui.tui.keys import footer_keys
from sparktui.tui.live import cards
from sparktui.tui.live.layout import PANELS, Panel
from sparktui.tui.live.meter_line import meter_text
from sparktui.tui.live.meter_view import PREFILL_SHOWN_S, meter_view
from sparktui.tui.live.states import state_of
from sparktui.tui.runview.run_names import base_name, ending_inks, log_link, run_title, wait_note
from sparktui.tui.screens.history_panel import HistoryPanel
from sparktui.tui.widgets.burst_strip import BurstStrip
from sparktui.tui.widgets.footer import KeyFooter
from sparktui.tui.widgets.header import Header, HeaderView
from sparktui.tui.widgets.history_table import HistoryTable
from sparktui.tui.widgets.log_panel import LogPanel
from sparktui.tui.widgets.meter import Meter
from sparktui.tui.widgets.meter_line import MeterLine
from sparktui.tui.widgets.panel_head import PanelHead
from sparktui.tui.widgets.prompt_bar import PromptBar
from sparktui.tui.widgets.stream_view import Card, StreamView

if TYPE_CHECKING:
    from sparktui.tui.screens.live import LiveScreen


_UNPAINTED = object()
# why the prompt line is off where nothing can be sent
_OFF = {"replay": "this is a replay", "watch": "watching only", "ended": "it is over", "killed": "it is over"}


class LivePainter:
    """Remembers what was painted last, by the session's revisions."""

    def __init__(self, screen: LiveScreen) -> None:
        self._screen = screen
        self._app = screen.spark
        self._run: LiveRun | None = None
        self._settled = False
        self._seen: dict[str, object] = {}
        self._card_key: object = _UNPAINTED
        self._stream_view, self._strip = screen.query_one(StreamView), screen.query_one(BurstStrip)
        self._meter_widget, self._line = screen.query_one(Meter), screen.query_one(MeterLine)
        self._header_widget, self._log_panel = screen.query_one(Header), screen.query_one(LogPanel)
        self._history_table = screen.query_one(HistoryTable)
        self._footer_widget, self._prompt = screen.query_one(KeyFooter), screen.query_one(PromptBar)
        self._heads = {panel: screen.query_one(f"#{panel}-head", PanelHead) for panel in PANELS}
        self.spark = SparkHistory()
        self.paused: set[str] = set()
        self.history = HistoryPanel(screen)

    def forget(self) -> None:
        """Paint everything at the next frame; trouble that was told is not told again."""
        self._seen = {"trouble": self._seen.get("trouble", 0)}
        self._card_key = _UNPAINTED

    def paint(self, due: Due) -> None:
        session, now_ns = self._app.session, self._app.now_ns
        rev = session.rev
        self._log_panel.set_off(self._history_table.picked_id or (session.current.run_id if session.current is not None else ""))
        phase = phase_of(session, now_ns)
        turned = self._changed("phase", phase.name)
        moving = phase.name == "generating"
        counted = due.second and phase.name in ("prefill", "stalled", "unreachable")
        figures = (rev.run, rev.plan, rev.history)
        if not (turned or moving or counted or self._changed("all", rev.sum()) or self._seen.get("meter") != figures):
            return
        loads = self._changed("loads", (rev.server, rev.plan) if phase.name == "loading" else None)
        if moving or turned or counted or loads or self._changed("run", rev.run):
            self._stream(phase, now_ns)
        if turned or counted or (due.meter and (self._changed("meter", figures) or moving)):
            self._meter(phase, now_ns)
        if turned or counted or self._changed("server", (rev.server, rev.memory, rev.run if turned else 0, frozenset(self.paused))):
            self._header(phase)
        if "log" not in self.paused and self._changed("log", (rev.log, rev.history)):
            self._log()
        if "history" not in self.paused and self._changed("history", rev.history):
            self.history.paint()
        if turned or self._changed("keys", (rev.server, rev.history, rev.run, rev.plan)):
            self._footer()
        if self._changed("trouble", rev.trouble):
            self._screen.tell_trouble()

    def stream_status(self) -> None:
        """The right side of the stream's head."""
        view = self._stream_view
        unseen = view.unseen_rows
        if self._run is None or view.card is not None:
            status: list[tuple[str, bool]] = []
        else:
            wide = self._screen.layout_now.mode == "wide"
            status = [("view ", False), (view.view, True), ("  ", False)] if wide or view.view != "chunks" else []
            behind = f"▼ {unseen} new line{'s' if unseen > 1 else ''}"
            status.append(("following", False) if view.following or not unseen else (behind, True))
        self._head("stream").show(status=status)

    def log_status(self) -> None:
        """The right side of the log's head."""
        panel, state = self._log_panel, self._app.session.log_state
        words = "off" if state is None else state.state
        if state is not None and state.reason:
            words = f"{words}: {shown(state.reason)}"
        if not panel.following:
            words = f"▼ {panel.unseen} new lines"
        raw = [("raw  ", True)] if panel.raw else []
        chosen = [(f"/{shown(panel.filter)}  ", True)] if panel.filter else []
        about = shown(base_name(state.source)) if state is not None else ""
        self._head("log").show(context=about, status=[*raw, *chosen, (words, False)])

    def _stream(self, phase: Phase, now_ns: int) -> None:
        run = self._app.session.current
        view, strip = self._stream_view, self._strip
        if "stream" in self.paused:
            return
        if run is not self._run:
            self._run, self._settled = run, False
            view.begin()
        self._card(view, phase, now_ns)
        self._screen.make_quiet(view.card is not None and (run is None or run.done))
        strip.follow(run, None if run is None or run.done else now_ns)
        if run is not None:
            view.hold(phase.name == "stalled")
            view.feed(run.take_pieces(), run.burst_tokens, strip.window.full_tokens)
            if run.done and not self._settled:
                self._settled = True
                view.settle(run.burst_tokens)
            view.note(self._note(run, phase))
        self._head("stream").show(context=run_title(self._app.session) if run is not None else "")
        self.stream_status()

    def _card(self, view: StreamView, phase: Phase, now_ns: int) -> None:
        key, card = self._card_for(phase, now_ns)
        if key != self._card_key:
            self._card_key = key
            view.show_card(card)

    def _card_for(self, phase: Phase, now_ns: int) -> tuple[object, Card | None]:
        """What is shown in place of the text, and a key that changes when it does."""
        session, options, roles = self._app.session, self._app.options, self._app.roles
        run, server = session.current, session.server
        if phase.name == "prefill" and run is not None and phase.seconds >= PREFILL_SHOWN_S:
            expected = prefill_of(session, run, now_ns)
            card: Card = partial(cards.prefill, roles=roles, waited_s=phase.seconds, expected=expected, wait_note=wait_note(run))
            return ("prefill", int(phase.seconds), expected.share), card
        if run is not None and not run.done:
            return None, None
        if phase.name == "loading" and server is not None and planned(session):
            return self._switching(server)
        if server is not None and server.state != "ready" and len(server.candidates) > 1:
            return ("several", server.candidates), partial(cards.several, roles=roles, candidates=server.candidates)
        if phase.name == "unreachable" and server is not None:
            left = None if server.retry_in_s is None else max(0, round(server.retry_in_s - (now_ns - server.t_ns) / 1e9))
            card = partial(
                cards.unreachable, roles=roles, server=server, address=options.address, origin=options.address_origin,
                retry_s=left, runs=session.record_count, command=options.command,
            )  # fmt: skip
            return ("unreachable", server, left, session.record_count), card
        if run is not None:
            return None, None
        if server is None or server.state == "probing":
            return "connecting", partial(cards.connecting, roles=roles, address=options.address)
        first = partial(cards.first_start, roles=roles, simulated=session.simulated, bench=options.bench, command=options.command)
        return ("first", session.simulated), first

    def _switching(self, server: Server) -> tuple[object, Card]:
        session = self._app.session
        progress, plan = session.progress, session.plan
        done = progress.done if progress is not None else 0
        eta = numbers.eta(progress.eta_s) if progress is not None and progress.eta_s is not None else ""
        card = partial(
            cards.switching, roles=self._app.roles, cause=server.cause, done=done, total=plan.total if plan is not None else done,
            eta=eta, read_only=self._app.options.read_only,
        )  # fmt: skip
        return ("switching", server.cause, done, eta), card

    def _note(self, run: LiveRun, phase: Phase) -> list[Ink]:
        roles = self._app.roles
        muted = roles.style("muted")
        if phase.name == "stalled":
            longest = run.gaps.longest_ns / 1e9
            before = f"still connected; before it, {longest:.2f} s at most" if run.gaps.count else "still connected"
            key: list[Ink] = [] if self._app.options.read_only else [("x", roles.style("accent", bold=True)), (" cancel", muted)]
            said: Ink = (f"no chunk for {int(phase.seconds)} s", roles.style("burst", bold=True))
            return [("◌ ", roles.style("burst")), said, (f"   {before}   ", muted), *key]
        if run.record is None or run.record.status == "ok":
            return []
        return ending_inks(run.record, roles)

    def _meter(self, phase: Phase, now_ns: int) -> None:
        session, layout = self._app.session, self._screen.layout_now
        run = session.current
        if run is not None and not run.done:
            self.spark.note(now_ns, run.rate.now(now_ns))
        if "meter" in self.paused:
            return
        if layout.meter == "line":
            glyph = state_of(phase, self._app.options.source)[0] if not layout.header else ""
            text = meter_text(session, phase, now_ns, small=layout.mode == "small")
            self._line.show(text, glyph)
        elif layout.meter != "none":
            view = meter_view(session, phase, now_ns, self._app.options.baseline_tok_s)
            self._meter_widget.show(view, self.spark)
            self._head("meter").show(status=[(view.status, False)] if view.status else [])

    def _header(self, phase: Phase) -> None:
        session, options, mode = self._app.session, self._app.options, self._screen.layout_now.mode
        view = HeaderView(
            phase=Phase(phase.name, float(int(phase.seconds))), info=session.info, address=options.address, memory=session.memory,
            paused=bool(self.paused), source=options.source,
            fields={"wide": "all", "mid": "some", "small": "run"}[mode], run=run_title(session, short=True),  # type: ignore[arg-type]
        )  # fmt: skip
        self._header_widget.show(view)

    def _log(self) -> None:
        session = self._app.session
        self._log_panel.show(session.log, partial(log_link, session), session.run_of_log)
        self.log_status()

    def _footer(self) -> None:
        screen = self._screen
        facts = screen.facts()
        if not self._changed("facts", facts):
            return
        left, right = footer_keys(screen.KIND, facts)
        done = [key for key in left if screen.handler(key) is not None]
        self._footer_widget.show(done, [key for key in right if screen.handler(key) is not None])
        options = self._app.options
        off = _OFF.get(options.source, "" if "ready" in facts else "no server")
        self._prompt.show(screen.temperature, screen.max_tokens, off=off)

    def _head(self, panel: Panel) -> PanelHead:
        return self._heads[panel]

    def _changed(self, part: str, value: object) -> bool:
        changed = self._seen.get(part) != value
        self._seen[part] = value
        return changed
