"""Names of systems."""

import pytest

from tartib.errors import OptionError
from tartib.experiments.translation.systems import PAPER_SYSTEMS, SystemParts, listed_systems


def test_names_of_systems() -> None:
    for name in PAPER_SYSTEMS:
        assert SystemParts.parse(name).name == SystemParts.parse(name).row == name
    assert SystemParts.parse(" svm:s6 + sparse").name == "svm:S6+sparse"
    assert SystemParts.parse("lexicalised+mlr:s6-Classes").name == "lexicalised+mlr:S6-classes"
    assert SystemParts.parse("lexicalised+svm:S6+sparse").row == "svm:S6+sparse"
    assert SystemParts.parse("sparse").title == "sparse"


def test_options_of_parts() -> None:
    given = "svm:s6[ unknown-words = skip, C=0.5 ] + sparse @ limit=8 @hier-mslr@bidirectional"
    found = SystemParts.parse(given)
    assert found.name == "svm:S6[C=0.5,unknown-words=skip]+sparse@hier-mslr@bidirectional@limit=8"
    assert SystemParts.parse(found.name) == found
    assert found.row == "svm:S6+sparse"
    assert found.title == (
        "SVM S6 [C=0.5,unknown-words=skip] + sparse, hier-mslr, bidirectional, limit=8"
    )
    (part,) = found.models
    assert part.options == (("C", 0.5),)
    assert (part.unknown_words, part.calibrate) == ("skip", None)
    assert part.trained.name == "svm:S6[C=0.5]"
    assert (found.orientation, found.direction, found.limit) == ("hier-mslr", "bidirectional", 8)
    (part,) = SystemParts.parse("mlr:S7[intercept=yes,class-weight=none]").models
    assert part.options == (("class_weight", None), ("fit_intercept", True))
    assert SystemParts.parse("none@limit=-1").limit == -1


def test_lists_of_systems() -> None:
    assert listed_systems("none, svm:S6[C=1,calibrate=none]+sparse,lexicalised@word-msd") == [
        "none",
        "svm:S6[C=1,calibrate=none]+sparse",
        "lexicalised@word-msd",
    ]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("lexicalised[smothing=1]", "lexicalised has learn-from=…, smoothing=…, unknown-words=…"),
        ("lexicalised[calibrate=none]", "unknown option 'calibrate=none'"),
        ("svm:S6[sigma=1]", "svm has C=…, calibrate=…, class-weight=…, intercept=…"),
        ("svm:S6[C]", "unknown option 'C'"),
        ("svm:S6[C=x]", "C is a number, not 'x'"),
        ("svm:S6[C=1,C=2]", "two values of C"),
        ("svm:S6[unknown-words=drop]", "unknown-words is one of score, skip, not 'drop'"),
        ("svm:S6[intercept=1]", "intercept is one of yes, no"),
        ("svm:S6[C=1", "unknown part"),
        ("svm:S6+svm:S6[C=1]", "names a part twice"),
        ("sparse[words=2]", "unknown part"),
        ("lexicalised@hier", "after @ comes an orientation"),
        ("lexicalised@limit=x", "a limit is a number"),
        ("lexicalised@forward@backward", "two values of direction"),
    ],
)
def test_wrong_options_of_parts(name: str, problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        SystemParts.parse(name)
