"""What the page may load and run: nothing but its own style and its own script, named by their hashes.

Text that slipped through every escape would still not run: the browser refuses scripts, styles, frames, forms and
connections that the policy does not name.
"""

import base64
import hashlib
import json
from typing import Any

_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def source_hash(source: str) -> str:
    """Name a source in a Content-Security-Policy by its SHA-256."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() + "'"


def content_security_policy(style: str, script: str) -> str:
    """Allow this style, this script and pictures within the page: nothing else."""
    return (
        f"default-src 'none'; img-src data:; style-src {source_hash(style)}; script-src {source_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def json_for_html(value: Any) -> str:
    """JSON that no HTML parser can take for markup, whatever text is in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)
