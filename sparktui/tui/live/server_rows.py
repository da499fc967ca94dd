"""What is known of the server that is measured, as rows for the servers page. Pure."""

from __future__ import annotations

from sparktui.core.session import SessionState
from sparktui.report import numbers
from sparktui.tui.drawing.foreign import shown
from sparktui.tui.drawing.pen import cut
from sparktui.tui.drawing.prose import Piece, TextRow

_LEFT, _VALUE_AT = 3, 18
_STATES = {"ready": "answers", "loading": "loads its model", "probing": "is being asked", "unreachable": "does not answer"}


def server_rows(session: SessionState, width: int) -> list[TextRow]:
    """Address, kind, model and the rest; [] before any server is known."""
    info, server = session.info, session.server
    if info is None and server is None:
        return []
    rows = [TextRow((Piece(_LEFT, "This server", "text", True),))]
    values: list[tuple[str, str]] = [("state", _STATES.get(server.state, server.state) if server is not None else "")]
    if server is not None and server.cause:
        values += [("cause", server.cause), ("hint", server.hint)]
    if info is not None:
        values += [
            ("address", info.base_url), ("kind", f"{info.kind} {info.version}".strip() + (", simulated" if info.kind == "demo" else "")),
            ("model", info.model),
            ("context", "" if info.ctx is None else f"{numbers.count(info.ctx)} tokens"), ("draft", info.draft or ""),
            ("cache", " ".join(filter(None, (info.cache_mode, f"{numbers.count(info.cache_tokens)} tokens" if info.cache_tokens else "")))),
            ("requests at once", "" if info.slots is None else str(info.slots)),
            ("TLS", "" if info.tls_verified else "certificate NOT verified"),
        ]  # fmt: skip
    if session.idle is not None:
        busy = {True: "another request is in flight", False: "idle", None: "it cannot say whether it is idle"}[session.idle.busy]
        values.append(("other requests", f"{busy} ({session.idle.source})" if session.idle.source else busy))
    if session.log_state is not None:
        state = session.log_state
        values.append(("log", " ".join(filter(None, (state.state, state.source, state.reason)))))
    for name, value in values:
        if value:
            rows.append(TextRow((Piece(_LEFT, name, "muted"), Piece(_VALUE_AT + 2, cut(shown(value), width - _VALUE_AT - 4)))))
    return [*rows, TextRow()]
