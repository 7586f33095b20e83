"""Forty texts that try to become markup or script, and runs in which every text is one of them."""

from collections.abc import Callable
from typing import Any

_ = "window.__xss=1"
PAYLOADS = [
    f"<script>{_}</script>",
    f"</script><script>{_}</script>",
    f"</style><script>{_}</script>",
    f"</title><script>{_}</script>",
    f"</textarea><script>{_}</script>",
    f"</noscript><script>{_}</script>",
    f"--><script>{_}</script>",
    f"<!--<script>{_}</script>",
    f"]]><script>{_}</script>",
    f"<img src=x onerror={_}>",
    f"<img src=x onerror=alert(1)//{_}",
    f'"><img src=x onerror={_}>',
    f"'><img src=x onerror={_}>",
    f"` onmouseover={_} x=`",
    f'" onmouseover="{_}" x="',
    f"' onmouseover='{_}' x='",
    f'" autofocus onfocus="{_}" tabindex=1 x="',
    f"<svg onload={_}>",
    f"<svg><script>{_}</script></svg>",
    f"<svg><animate onbegin={_} attributeName=x dur=1s>",
    f"<math><mtext></mtext><script>{_}</script></math>",
    f"<body onload={_}>",
    f"<iframe srcdoc='<script>parent.{_}</script>'></iframe>",
    f"<iframe src=javascript:{_}></iframe>",
    f"<object data=javascript:{_}></object>",
    f"<embed src=javascript:{_}>",
    f"<a href=javascript:{_}>x</a>",
    f"<form action=javascript:{_}><input type=submit></form>",
    f"<details open ontoggle={_}>",
    f"<input autofocus onfocus={_}>",
    f"<video><source onerror={_}></video>",
    f"<style>@import 'javascript:{_}';</style>",
    "<link rel=stylesheet href=https://example.org/x.css>",
    f"<meta http-equiv=refresh content='0;url=javascript:{_}'>",
    "<base href=https://example.org/>",
    f"{{{{ ''.__class__ }}}} {{% raw %}} ${{{_}}}",
    f"javascript:{_}",
    f"\u2028{_}\u2029//",
    f"\\u003cscript\\u003e{_}\\u003c/script\\u003e&lt;script&gt;{_}&lt;/script&gt;",
    f"\x00<scr\x00ipt>{_}</scr\x00ipt>\ud800",
]

_STRUCTURE = {"format", "criterion"}


def poisoned(value: Any, payload: Callable[[], str], key: str = "") -> Any:
    """The same run with a payload in place of every text, names of cells, versions and parameters included."""
    if isinstance(value, dict):
        named = key in {"cells", "versions", "parameters"}
        return {f"{payload()} {i}" if named else k: poisoned(v, payload, k) for i, (k, v) in enumerate(value.items())}
    if isinstance(value, list):
        return [poisoned(item, payload, key) for item in value]
    return payload() if isinstance(value, str) and key not in _STRUCTURE else value
