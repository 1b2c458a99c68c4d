"""What tests of all experiments share."""

import pytest

from tartib.experiments.report.figures import Panel


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave figures empty: most of the time that a page takes goes into drawing them."""
    monkeypatch.setattr(
        Panel, "svg", lambda panel, prefix: f'<svg id="{prefix}-{panel.key}"></svg>'
    )
