"""TLS for https servers; nothing here is loaded for a plain http one."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from sparktui.errors import ConfigError


def tls_context(*, verify: bool, ca_file: str | None) -> ssl.SSLContext:
    """How to check the server's certificate: against `ca_file`, else SSL_CERT_FILE / SSL_CERT_DIR, else certifi's roots.

    Without `verify` it is not checked at all.
    Raises ConfigError for a CA file that cannot be used.
    """
    if not verify:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return _http1(context)
    cafile, capath, named = _roots(ca_file)
    try:
        return _http1(ssl.create_default_context(cafile=cafile, capath=capath))
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror if isinstance(error, FileNotFoundError | PermissionError) else "it holds no certificate in PEM form"
        raise ConfigError(f"The CA file {cafile or capath} ({named}) cannot be used: {reason}.", hint="Name a PEM file.") from None


def _roots(ca_file: str | None) -> tuple[str | None, str | None, str]:
    if ca_file:
        return str(Path(ca_file).expanduser()), None, "tls.ca_file"
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file or folder:
        return file or None, folder or None, "SSL_CERT_FILE or SSL_CERT_DIR"
    import certifi

    return certifi.where(), None, "certifi"


def _http1(context: ssl.SSLContext) -> ssl.SSLContext:
    context.set_alpn_protocols(["http/1.1"])
    return context
