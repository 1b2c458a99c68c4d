"""The Content Security Policy of pages: their own styles and script, by hash, and nothing else.

So text of a corpus cannot run anything, even if a template forgot to escape it: only elements that
carry a mark, which no text can know, are allowed. Hashes cover whole elements only, so styles in
attributes become classes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from secrets import token_hex

_POLICY = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=)"[^"]*"')
_STYLED = re.compile(r'<[a-zA-Z][^<>]*?\sstyle="[^"]*"[^<>]*>')
_STYLE = re.compile(r'\sstyle="([^"]*)"')


def new_mark() -> str:
    """Return an attribute for the page's own ``style`` and ``script`` elements."""
    return f"data-{token_hex(16)}"


def with_policy(html: str, mark: str) -> str:
    """Return the page with a policy that allows the elements with the mark, which is removed."""
    html = _styles_as_classes(html, mark)
    styles, scripts = (_hashes(kind, html, mark) for kind in ("style", "script"))
    policy = f"default-src 'none'; style-src {styles}; script-src {scripts}; img-src data:"
    return _POLICY.sub(rf'\1"{policy}"', html, count=1).replace(f" {mark}", "")


def _hashes(kind: str, html: str, mark: str) -> str:
    found = re.findall(rf"<{kind} {mark}>(.*?)</{kind}>", html, re.DOTALL)
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in found]
    return " ".join(f"'sha256-{value}'" for value in dict.fromkeys(hashes)) or "'none'"


def _styles_as_classes(html: str, mark: str) -> str:
    names: dict[str, str] = {}

    def moved(found: re.Match[str]) -> str:
        tag = found[0]
        style = "".join(_STYLE.findall(tag))
        name = names.setdefault(style, f"style-{len(names)}")
        tag = _STYLE.sub("", tag)
        if ' class="' in tag:
            return tag.replace(' class="', f' class="{name} ', 1)
        return re.sub(r"^<[\w:-]+", rf'\g<0> class="{name}"', tag)

    html = _STYLED.sub(moved, html)
    rules = "\n".join(f".{name}{{{_rule(style)}}}" for style, name in names.items())
    own = f"<style {mark}>\n{rules}\n</style>\n</head>"
    return html.replace("</head>", own, 1) if rules else html


def _rule(style: str) -> str:
    """Return the declarations of an attribute, which were stronger than those of any class."""
    parts = (part.strip() for part in unescape(style).split(";"))
    return "; ".join(f"{part} !important" for part in parts if part)
