"""Lines of Moses' extraction files, by string formatting."""

from tests.oracles.extraction import Extracted, Links


def lines(
    source: list[str],
    target: list[str],
    links: Links,
    found: Extracted,
    names: dict[str, dict[str, str]],
) -> tuple[str, str, str]:
    """Return the lines of ``extract``, ``extract.inv`` and ``extract.o`` for one pair.

    ``names`` gives for each model asked for the class that each mslr orientation is printed as.
    """
    start_f, end_f, start_e, end_e = found.pair
    f, e = " ".join(source[start_f : end_f + 1]), " ".join(target[start_e : end_e + 1])
    # Links are listed by target word, and for each target word in the order of the alignment.
    inside = [
        (i - start_f, j - start_e)
        for row in range(start_e, end_e + 1)
        for i, j in links
        if j == row and start_f <= i <= end_f
    ]
    direct = " ".join(f"{i}-{j}" for i, j in inside)
    inverse = " ".join(f"{j}-{i}" for i, j in inside)
    fields = {
        model: " ".join(
            names[model][found.orientations[model][d]] for d in ("backward", "forward-moses")
        )
        if model in names
        else ""
        for model in ("word", "phrase", "hier")
    }
    shown = [fields["word"]] if set(names) == {"word"} else list(fields.values())
    return (
        f"{f} ||| {e} ||| {direct}",
        f"{e} ||| {f} ||| {inverse}",
        f"{f} ||| {e} ||| {' | '.join(shown)}",
    )
