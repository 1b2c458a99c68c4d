"""What is taken of what was tried."""

from tartib.build.choice import Trial, best_limit, best_system


def trials(**bleu: float) -> list[Trial]:
    return [
        Trial("system", name, name, int(name[1:]), score, score - 1, score + 1, 1.0)
        for name, score in bleu.items()
    ]


def test_the_usual_limit_stays_unless_another_is_clearly_better() -> None:
    assert best_limit(trials(l4=20.0, l8=20.0, l12=20.2), 8) == 8
    assert best_limit(trials(l4=20.0, l8=20.0, l12=20.4), 8) == 12
    assert best_limit(trials(l4=20.5, l8=20.0, l12=20.4), 8) == 4


def test_the_last_system_that_is_as_good_is_taken() -> None:
    assert best_system(trials(s1=20.2, s2=20.0)) == "s2"
    assert best_system(trials(s1=20.4, s2=20.0)) == "s1"
    assert best_system(trials(s1=20.0, s2=20.4, s3=20.2)) == "s3"
