"""Secrets taken out of text before it is shown, stored or written down: keys, tokens, passwords, in the forms servers and clients print."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit, urlunsplit

MASK = "***"

_HINT = re.compile(r"key|bearer|basic |authori|token|passw|pwd|secret|cookie|://|sk-|glpat-|xox[bp]-|[a-z]{2,4}_\w{16}", re.IGNORECASE)
_QUOTE = r"\\{0,8}[\"']"
_NAME = (
    r"(?:proxy[-_])?authorization|x-(?:api|admin)-key|(?:openai[-_]|sparktui[-_])?(?:api|admin|secret|private)[-_ ]?key"
    r"|(?:api|access|auth|refresh|id|hf|admin)[-_]?token|(?:set-)?cookie|passw(?:or)?d|client[-_]secret|secret"
)
_NOTHING = r"(?!(?:null|none|true|false|\*\*\*)\b|\*\*\*)"
_SCHEME = r"(?:(?:Bearer|Basic|Token|Digest)\s+)?+"
@functools.cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Each pattern with what it becomes. Made at the first text that hints at a secret: most starts see none."""
    return (
        # the start of TabbyAPI: Your API key is: X (colour codes may stand between)
        (re.compile(r"(\b(?:api|admin) key is:(?:\s|\x1b\[[\d;]*m)*)[^\s\x1b]+", re.IGNORECASE), rf"\1{MASK}"),
        # 'authorization': 'Bearer X' · "x-api-key": "X" · (b'authorization', b'Bearer X') · \"api_key\": \"X\"
        (re.compile(rf"({_QUOTE}(?:{_NAME}){_QUOTE}\s*[:=,]\s*b?({_QUOTE}){_SCHEME}){_NOTHING}[^\0]*?(?=\2)", re.IGNORECASE), rf"\1{MASK}"),
        # api_key="X with blanks"
        (re.compile(rf"((?<![\w-])(?:{_NAME})\s*[:=]\s*b?({_QUOTE}){_SCHEME}){_NOTHING}.*?(?=\2)", re.IGNORECASE), rf"\1{MASK}"),
        # Cookie: a=b; c=d
        (re.compile(r"((?<![\w-])(?:set-)?cookie:\s*)[^\r\n'\"]+", re.IGNORECASE), rf"\1{MASK}"),
        # Authorization: Bearer X · x-api-key: X · api_key=X · 'api_key': X
        (re.compile(rf"((?<![\w-])(?:{_NAME})(?:{_QUOTE})?\s*[:=]\s*{_SCHEME}){_NOTHING}[^\s,;\"'\\}})\]&]+", re.IGNORECASE), rf"\1{MASK}"),
        # --api-key X · --hf-token=X
        (re.compile(rf"(--(?:{_NAME})(?:=|\s+)[\"']?){_NOTHING}[^\s\"']+", re.IGNORECASE), rf"\1{MASK}"),
        # Bearer X wherever it stands, but not the words about it
        (re.compile(r"(\bBearer\s+)(?!(?:tokens?|auth\w*|keys?|scheme|header|is|and|or)\b)[\w.~+/=:-]{3,}", re.IGNORECASE), rf"\1{MASK}"),
        # scheme://user:password@host
        (re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://)[^/\s@\"'<>?#]{1,300}@", re.IGNORECASE), rf"\1{MASK}@"),
        # ?key=X&api_key=X
        (re.compile(r"([?&;][\w.-]{0,40}?(?:key|token|secret|passw\w*|pwd|sig\w*|auth)=)[^&\s#\"'<>]+", re.IGNORECASE), rf"\1{MASK}"),
        # keys that show what they are
        (re.compile(r"\b(?:sk|pk|rk|gsk|hf|ghp|gho|glpat|xox[bp])[-_](?=[\w-]{0,200}\d)[\w-]{16,}"), MASK),
    )  # fmt: skip


def secret_forms(secrets: Iterable[str]) -> tuple[str, ...]:
    """Every form in which `secrets` are found: as they are, percent-encoded, as JSON writes them. The longest secret first."""
    wanted = sorted({secret for secret in secrets if secret and secret.strip()}, key=len, reverse=True)
    return tuple(form for secret in wanted for form in sorted({secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}))


def mask_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with the value of everything that looks like a key, token, password or cookie, and every string of `secrets`, as `***`.

    `secrets` are found as they are, percent-encoded, and as JSON writes them. Masking twice changes nothing more.
    """
    for form in secret_forms(secrets):
        text = text.replace(form, MASK) if len(form) > 3 else re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", MASK, text)
    if _HINT.search(text) is None:
        return text
    for pattern, masked in _patterns():
        text = pattern.sub(masked, text)
    return text


def mask_url(url: str) -> str:
    """A URL fit to be shown: user and password, every query value and the fragment masked. Never raises."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")
        query = re.sub(r"=[^&;]*", f"={MASK}", parts.query) if "=" in parts.query else (MASK if parts.query else "")
        shown = urlunsplit((parts.scheme, f"{MASK}@{host[2]}" if host[1] else parts.netloc, parts.path, query, ""))
    except ValueError:
        shown = re.sub(r"//[^/@]*@", f"//{MASK}@", url.partition("?")[0].partition("#")[0])
    return mask_secrets(shown)
