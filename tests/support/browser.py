"""A page in headless Chromium, at the width of a phone."""

import html
import json
import re
import shutil
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.support import processes

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--virtual-time-budget=5000",
    "--window-size=800,900",
    "--dump-dom",
)
# Put first in the page: keeps whatever goes wrong.
WATCH = """<script>
const problems = [];
addEventListener("error", (event) => problems.push(String(event.message || event.target)), true);
addEventListener("unhandledrejection", (event) => problems.push(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) => problems.push(event.blockedURI));
</script>"""
# Put last: what `check` returns goes to the page around, with what went wrong.
TELL = """
let answer = null;
try {{ answer = ({check})(); }} catch (error) {{ problems.push(String(error)); }}
const requests = performance.getEntriesByType("resource").map((entry) => entry.name);
parent.postMessage({{ answer, problems, requests, width: innerWidth }}, "*");
"""
# A window cannot be narrower than 500 pixels, a frame can.
AROUND = """<!doctype html><meta charset="utf-8"><pre id="verdict"></pre>
<script>
addEventListener("message", (event) => {{
  document.getElementById("verdict").textContent = JSON.stringify(event.data);
}});
</script>
<iframe src="{page}" style="width: {width}px; height: 800px; border: 0"></iframe>"""


def run_in_browser(page: Path, check: str, folder: Path, *, width: int = 360) -> dict[str, Any]:
    """Open a page in a frame and call a JavaScript function in it.

    The result has its ``answer``, the ``problems`` and ``requests`` of the page, and the frame's
    ``width``. Without a browser the test is skipped.
    """
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"needs a browser: {', '.join(NAMES)}")
    text = page.read_text(encoding="utf-8")
    assert text.count("<head>") == text.count("</body>") == 1
    text = text.replace("<head>", "<head>" + WATCH)
    tell = TELL.format(check=check)
    text = text.replace("</body>", f"<script>{tell}</script></body>")
    ours = b64encode(sha256(tell.encode()).digest()).decode()  # the page allows no other script
    text = text.replace("script-src ", f"script-src 'sha256-{ours}' ")
    (folder / "inner.html").write_text(text, encoding="utf-8")
    outer = folder / "outer.html"
    outer.write_text(AROUND.format(page="inner.html", width=width), encoding="utf-8")
    command = [program, *FLAGS, f"--user-data-dir={folder / 'profile'}", outer.as_uri()]
    done = processes.run(command)
    found = re.search(r'<pre id="verdict">(.+?)</pre>', done.stdout, re.DOTALL)
    assert found, f"the page did not answer: {done.stderr[-2000:]}"
    verdict: dict[str, Any] = json.loads(html.unescape(found.group(1)))
    return verdict
