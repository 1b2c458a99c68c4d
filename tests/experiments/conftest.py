"""What tests of all experiments share."""

from collections.abc import Iterator

import pytest

from tartib.experiments.report.figures import Panel
from tests.support.drawing import without_drawing


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave figures empty: most of the time that a page takes goes into drawing them."""
    monkeypatch.setattr(
        Panel, "svg", lambda panel, prefix: f'<svg id="{prefix}-{panel.key}"></svg>'
    )
    with without_drawing():
        yield
