"""The policy of a page allows its own styles and script, by hash, and nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from tartib.experiments.report.policy import with_policy

PAGE = """<html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<style data-1>p { color: red }</style>
</head><body>
<svg><path style="fill: none; stroke: #000"/></svg>
<p class="wide" style="width:12.5%" title="x">one</p><i style="width:12.5%"></i>
<script data-1>let a = 1 < 2;</script>
</body></html>"""


def policy_of(html: str) -> str:
    (found,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    return str(found)


def test_every_style_and_script_is_allowed_by_its_hash() -> None:
    html = with_policy(PAGE, "data-1")
    policy = policy_of(html)
    assert "unsafe" not in policy
    for kind, count in (("style", 2), ("script", 1)):
        parts = re.findall(rf"<{kind}[^>]*>(.*?)</{kind}>", html, re.DOTALL)
        allowed = policy.split(f"{kind}-src ")[1].split(";")[0].split()
        digests = [b64encode(sha256(part.encode()).digest()).decode() for part in parts]
        assert allowed == [f"'sha256-{digest}'" for digest in digests]
        assert len(parts) == count


def test_styles_of_attributes_become_classes() -> None:
    html = with_policy(PAGE, "data-1")
    assert " style=" not in html
    assert '<path class="style-0"/>' in html
    assert '<p class="style-1 wide" title="x">' in html
    assert '<i class="style-1"></i>' in html
    assert ".style-0{fill: none !important; stroke: #000 !important}" in html
    assert ".style-1{width:12.5% !important}" in html


def test_a_page_without_any_allows_none() -> None:
    head = PAGE.split("<style")[0] + "</head></html>"
    assert policy_of(with_policy(head, "data-1")) == (
        "default-src 'none'; style-src 'none'; script-src 'none'; img-src data:"
    )


def test_what_does_not_carry_the_mark_is_not_allowed() -> None:
    injected = PAGE.replace(">one<", "><script>alert(1)</script><style>p {}</style><")
    assert policy_of(with_policy(injected, "data-1")) == policy_of(with_policy(PAGE, "data-1"))


def test_the_mark_is_removed() -> None:
    assert "data-1" not in with_policy(PAGE, "data-1")
