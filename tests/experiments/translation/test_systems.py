"""Names of systems."""

from tartib.experiments.translation.systems import PAPER_SYSTEMS, SystemParts


def test_names_of_systems() -> None:
    for name in PAPER_SYSTEMS:
        assert SystemParts.parse(name).name == SystemParts.parse(name).row == name
    assert SystemParts.parse(" svm:s6 + sparse").name == "svm:S6+sparse"
    assert SystemParts.parse("lexicalised+svm:S6+sparse").row == "svm:S6+sparse"
    assert SystemParts.parse("sparse").title == "sparse"
