import re

import pytest

from tartib.experiments.report.alignment_pictures import (
    REACH,
    RISE,
    ROWS,
    RUN,
    Scene,
    alignment_picture,
    is_right_to_left,
    picture_of,
    text_width,
)
from tartib.experiments.run.results import Example
from tests.support.classification_results import example_pair


def example(**changes: object) -> Example:
    return example_pair("msd").model_copy(update=changes)


def long_example(source: int, neighbour: int) -> Example:
    """The phrase is word 30 to 30; the target word before it is linked to another place."""
    words = [f"w{i}" for i in range(60)]
    links = [(i, i) for i in range(60) if i not in (29, 30)] + [(source, 30), (neighbour, 29)]
    return example(source=words, target=words, links=links, source_start=source, target_start=30)


def test_columns_follow_the_script() -> None:
    arabic = example()
    picture = picture_of(arabic, Scene(arabic, "backward"))
    assert picture.right_to_left
    places = [label.at for label in picture.columns]
    assert places == sorted(places, reverse=True)
    japanese = example(source=["私", "は", "本", "を", "。"])
    places = [label.at for label in picture_of(japanese, Scene(japanese, "backward")).columns]
    assert places == sorted(places)


def test_box_holds_the_links_of_the_phrase() -> None:
    shown = example()
    picture = picture_of(shown, Scene(shown, "backward"))
    box = picture.phrase
    inside = [
        mark.kind
        for mark in picture.marks
        if box.x < mark.x < box.x + box.width and box.y < mark.y < box.y + box.height
    ]
    assert inside == ["phrase"]
    assert [mark.kind for mark in picture.marks].count("phrase") == 1


@pytest.mark.parametrize(("direction", "neighbour"), [("backward", "long"), ("forward", ".")])
def test_neighbour_is_that_of_the_direction(direction: str, neighbour: str) -> None:
    shown = example()
    picture = picture_of(shown, Scene(shown, direction))
    (row,) = [label for label in picture.rows if label.kind == "neighbour"]
    assert row.full == neighbour
    (mark,) = [mark for mark in picture.marks if mark.kind == "neighbour"]
    assert mark.y == row.at


@pytest.mark.parametrize(("direction", "start"), [("backward", 0), ("forward", 6)])
def test_there_may_be_no_neighbour(direction: str, start: int) -> None:
    shown = example(target_start=start, source_start=4 if start else 1)
    picture = picture_of(shown, Scene(shown, direction))
    assert picture.neighbour is None
    assert not [label for label in picture.rows if label.kind == "neighbour"]


def test_long_sentences_are_cut() -> None:
    shown = long_example(30, 25)
    scene = Scene(shown, "backward")
    assert list(scene.rows) == list(range(30 - ROWS, 31 + ROWS))
    assert list(scene.columns) == list(range(24, 36))
    far = Scene(long_example(30, 17), "backward")
    assert far.columns[0] == 16
    assert len(far.columns) <= 2 * REACH + 3


@pytest.mark.parametrize(("neighbour", "way"), [(2, -1), (58, 1)])
def test_far_links_are_arrows(neighbour: int, way: int) -> None:
    shown = long_example(30, neighbour)
    picture = picture_of(shown, Scene(shown, "backward"))
    assert [mark.way for mark in picture.marks if mark.kind == "neighbour"] == [way]
    arabic = shown.model_copy(update={"source": ["كتب"] * 60})
    picture = picture_of(arabic, Scene(arabic, "backward"))
    assert [mark.way for mark in picture.marks if mark.kind == "neighbour"] == [-way]


@pytest.mark.parametrize("word", ["الاجتماعات", "long-long-word", "図書館図書館"])
def test_labels_lie_inside_the_picture(word: str) -> None:
    shown = example(source=[word] * 5, target=["x"] * 7)
    picture = picture_of(shown, Scene(shown, "backward"))
    reach = RUN * text_width(word) * (-1 if picture.right_to_left else 1)
    assert all(0 <= label.at + reach <= picture.width for label in picture.columns)
    assert picture.corner[1] > RISE * text_width(word)
    assert picture.corner[0] > text_width("x")


def test_sentences_have_their_direction() -> None:
    html = str(alignment_picture(example(), "backward"))
    source, target = re.findall(r'<p class="sentence" dir="(\w+)">(.*?)</p>', html)
    assert source[0] == "rtl"
    assert '<mark class="phrase">&lt;رسالة&gt;</mark>' in source[1]
    assert target == (
        "ltr",
        '<span>the boy wrote a</span> <mark class="neighbour">long</mark> '
        '<mark class="phrase">&lt;letter&gt;</mark> <span>.</span>',
    )
    assert html.count('direction="rtl"') == 4  # words of the matrix; the full stop has none


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["كتب", "2015"], True), (["ספר"], True), (["the", "."], False), (["本"], False), ([], False)],
)
def test_direction_of_writing(words: list[str], expected: bool) -> None:
    assert is_right_to_left(words) is expected
