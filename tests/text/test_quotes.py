"""Quotation marks: single and double ones are one kind inside, and come in pairs in the output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.text import learn_text
from tartib.text.normalisation import GLUE
from tartib.text.quotes import in_pairs, merged, paired, pairs_in
from tests.support.examples import examples

ROLES = {f'"{GLUE}': "(", f'{GLUE}"': ")"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("the 'legal certainty' of it", 'the "legal certainty" of it'),
        ("'Don't,' he said, 'it's ours.'", '"Don\'t," he said, "it\'s ours."'),
        ("('a'), the Member States' 'b'", '("a"), the Member States\' "b"'),
        ("he says \"I said 'no'\" again", "he says \"I said 'no'\" again"),
        ("he says 'I said \"no\"' again", "he says 'I said \"no\"' again"),
        ("the workers' and the students' rights", "the workers' and the students' rights"),
        ("'tis the '90s, rock 'n' roll' indeed", "'tis the '90s, rock 'n' roll' indeed"),
        ("'s Morgens gaat hij; de foto's' zijn", "'s Morgens gaat hij; de foto's' zijn"),
        ("l'acqua, un po' d'olio, un po' di sale", "l'acqua, un po' d'olio, un po' di sale"),
        ("let us 'be' the change', he writes", 'let us "be" the change\', he writes'),
        ("in 'Nunca' and 'b c ' and 'e'", 'in "Nunca" and \'b c \' and "e"'),
    ],
)
def test_single_marks_become_double_ones(line: str, expected: str) -> None:
    assert merged(line) == expected
    assert merged(expected) == expected


@pytest.mark.parametrize(
    ("line", "balanced"),
    [
        ("Er sagte „ja“ und „nein“.", True),
        ("« Où ? » demanda-t-il.", True),
        ("他说：“你好。”", True),
        ("彼は「明日」と", True),
        ("ohne", True),
        ("„Das ist alles.", False),
        ("das“, sagte er, „und das", False),
        ("« Où est", False),
        ('a " b " c', False),
        ('a 5" pipe', False),
    ],
)
def test_marks_in_pairs(line: str, balanced: bool) -> None:
    assert in_pairs(line) == balanced


def test_where_pairs_are() -> None:
    assert pairs_in("‘a’ “b”") == [(0, 2), (4, 6)]
    assert pairs_in("the Members’ rights") == []


def roles(kinds: str) -> str:
    """Pair tokens of marks, with a word after each."""
    marks = {"(": f'"{GLUE}', ")": f'{GLUE}"', "?": '"'}
    found = paired([token for kind in kinds for token in (marks[kind], "w")], GLUE)
    return "".join(ROLES.get(token, "-") for token in found[::2])


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ("()()", "()()"),
        ("(", "-"),
        (")", "-"),
        (")(", "--"),
        ("((", "()"),
        ("))", "()"),
        ("(()", "-()"),
        ("())", "()-"),
        ("??", "()"),
        ("(((", "()-"),
        (")()", "-()"),
    ],
)
def test_marks_are_paired_at_least_cost(kinds: str, expected: str) -> None:
    assert roles(kinds) == expected


@given(st.lists(st.sampled_from([f'"{GLUE}', f'{GLUE}"', '"', f'{GLUE}"{GLUE}', "w", "￭,"])))
@examples(300)
def test_marks_open_and_close_in_turn(tokens: list[str]) -> None:
    found = paired(tokens, GLUE)
    kinds = [ROLES.get(token) for token in found if '"' in token]
    assert kinds == ["(", ")"] * (len(kinds) // 2)
    assert [a for a in tokens if '"' not in a] == [a for a in found if '"' not in a and a]
    assert len(found) == len(tokens)
    assert paired(found, GLUE) == found


@pytest.mark.parametrize("style", ["“”", '""', "‘’", "''", "„“", "‚‘"])
def test_output_has_the_pairs_that_most_of_the_text_has(style: str) -> None:
    opening, closing = style[0], style[1]
    lines = [f"It is {opening}this{closing}, the workers' way."] * 3 + ["It is ‹this›: 'a', \"b\"."]
    side = learn_text(zip(lines, lines, strict=True), ("en", "en")).target
    assert side.prepare("It is ‘this’.") == side.prepare('It is "this".')
    tokens = f'the tanker "{GLUE} Erika {GLUE}" and {GLUE}" the "{GLUE} Sun {GLUE}" {GLUE}.'
    assert side.restore(tokens, like="„A“ und „B“.") == (
        f"The tanker {opening}Erika{closing} and the {opening}Sun{closing}."
    )


def test_a_mark_stays_alone_where_the_source_has_such_a_mark() -> None:
    lines = ["“This,” he said."] * 3
    side = learn_text(zip(lines, lines, strict=True), ("de", "en")).target
    tokens = f'so is this {GLUE}. {GLUE}"'
    assert side.restore(tokens, like="Und das auch.“") == "So is this.”"
    assert side.restore(tokens, like="Und das auch.") == "So is this."
    assert side.restore(tokens) == "So is this.”"
    assert side.written(tokens, like="Und das auch.")[-1] == ""
