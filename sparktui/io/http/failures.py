"""What went wrong on the way to the server, in plain words. Never quotes a key, a password or a query."""

from __future__ import annotations

import errno
import socket
import ssl

import httpcore

from sparktui.errors import InterruptedRunError, RunFailedError, SparkError, UnreachableError
from sparktui.io.http.echoes import Echoes
from sparktui.io.http.wire import ConnectFailed
from sparktui.servers.url import BaseUrl


class StoppedError(InterruptedRunError):
    """The request was stopped on request; its socket is closed."""

    def __init__(self) -> None:
        super().__init__("Stopped.")


class ConnectionLostError(RunFailedError):
    """The connection ended before the response did."""


class SilenceError(RunFailedError):
    """Nothing came for longer than the idle timeout."""


def unreachable(error: Exception, base: BaseUrl, *, connect_timeout_s: float, proxy: str = "") -> SparkError:
    """Why no request could be sent. `error` comes from httpcore; `proxy` is the proxy's address, shown."""
    cause = error.cause if isinstance(error, ConnectFailed) else error
    if proxy:
        return UnreachableError(
            f"The proxy {proxy} does not lead to {base.shown}: {_words(cause)}.",
            hint="Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, or name the server's host in NO_PROXY.",
        )
    if isinstance(cause, ssl.SSLError):
        return _tls(cause, base)
    if isinstance(cause, socket.gaierror | UnicodeError):
        return UnreachableError(f"The name {base.host} is not known.", hint="Check the host name in the base URL.")
    if isinstance(cause, TimeoutError | httpcore.TimeoutException):
        return UnreachableError(
            f"{base.shown} does not answer within {connect_timeout_s:g} s.",
            hint="Check the address and the firewall; server.connect_timeout_s allows more time.",
        )
    if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
        return UnreachableError(f"Nothing listens at {base.shown} (connection refused).", hint="Start the server, or correct the base URL.")
    return UnreachableError(f"No connection to {base.shown}: {_words(cause)}.", hint="Check the network and the base URL.")


def lost(error: Exception, base: BaseUrl, echoes: Echoes) -> SparkError:
    """Why a response broke off, or never began, after the request was sent. What was received is quoted without `echoes`."""
    if isinstance(error, httpcore.ReadTimeout):
        return SilenceError("The server fell silent.", hint="server.idle_timeout_s sets how long a pause may be; 0 = no limit.")
    if isinstance(error, httpcore.RemoteProtocolError):
        text = echoes.masked_text(str(error))
        if "illegal chunk" in text.lower():
            return ConnectionLostError("The server broke the framing of its answer.", detail=text, hint="Is a proxy in between?")
        if "illegal" in text.lower() and base.root.startswith("http://"):
            return UnreachableError(f"{base.shown} does not speak HTTP.", detail=text, hint="Check the port; is it an https:// address?")
        return ConnectionLostError("The server closed the connection.", detail=text, hint="See the server's own log for the reason.")
    return ConnectionLostError("The connection broke.", detail=_words(error), hint="See the server's own log for the reason.")


def _tls(cause: ssl.SSLError, base: BaseUrl) -> SparkError:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UnreachableError(
            f"The certificate of {base.shown} is not trusted: {cause.verify_message.rstrip('.')}.",
            hint="Name the CA in server.tls.ca_file or SSL_CERT_FILE; server.tls.verify: false connects without checking.",
        )
    if "WRONG_VERSION_NUMBER" in str(cause) or "RECORD_LAYER" in str(cause) or "UNEXPECTED_MESSAGE" in str(cause):
        return UnreachableError(f"{base.shown} does not speak TLS.", detail=str(cause), hint="Is it an http:// address?")
    return UnreachableError(f"No TLS connection to {base.shown}: {cause.reason or cause}.", hint="Check the server's TLS setup.")


def _words(cause: Exception) -> str:
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return (text or type(cause).__name__).strip().rstrip(".")
