"""Translation systems of the golden files, as TOML and as moses.ini."""

import math
from pathlib import Path

from tartib.decoder.system_sections import weights_section
from tartib.orientation import TableType
from tests.support import paths

GOLDEN = paths.GOLDEN / "moses" / "decode"
SOURCE = GOLDEN / "test.src"
NAMES = (
    "none",
    "hier-msd-backward-fe",
    "hier-mslr-bidirectional-fe",
    "phrase-msd-backward-fe",
    "wbe-msd-bidirectional-fe",
)
RUNS = [(name, limit) for name in NAMES for limit in (6, -1)]


def weights(name: str) -> dict[str, list[float]]:
    reordering = {}
    if name != "none":
        reordering = {"LexicalReordering0": [0.3] * TableType.parse(name).n_columns}
    return {
        **reordering,
        "Distortion0": [0.3],
        "LM0": [0.5],
        "WordPenalty0": [-1.0],
        "PhrasePenalty0": [0.2],
        "UnknownWordPenalty0": [1.0],
        "TranslationModel0": [0.2] * 4,
    }


def write_toml(folder: Path, name: str = "none", limit: int = 6, stack_size: int = 2000) -> Path:
    parts = [f'phrase-table = "{GOLDEN}/phrase-table"', f'lm = "{GOLDEN}/lm.o3.arpa"']
    if name != "none":
        table = f'table = "{GOLDEN}/reordering-table.{name}"'
        parts += ["[[reordering]]", table, f'type = "{name}"']
    parts += [
        "[search]",
        f"stack-size = {stack_size}",
        "beam-threshold = 1e-7",
        f"distortion-limit = {limit}",
    ]
    path = folder / f"{name}.{limit}.toml"
    path.write_text("\n".join(parts) + "\n" + weights_section(weights(name)))
    return path


def write_ini(folder: Path, name: str = "none", limit: int = 6) -> Path:
    reordering = ""
    if name != "none":
        columns = TableType.parse(name).n_columns
        reordering = (
            f"LexicalReordering name=LexicalReordering0 num-features={columns} "
            f"type={name}-allff input-factor=0 output-factor=0 "
            f"path={GOLDEN}/reordering-table.{name}\n"
        )
    lines = "\n".join(f"{n}= {' '.join(map(str, w))}" for n, w in weights(name).items())
    path = folder / f"moses.{name}.{limit}.ini"
    path.write_text(
        f"""# made for a test
[input-factors]
0

[mapping]
0 T 0

[distortion-limit]
{limit}

[stack]
2000

[beam-threshold]
0.0000001

[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={GOLDEN}/phrase-table \
input-factor=0 output-factor=0 table-limit=20
{reordering}Distortion
KENLM lazyken=0 name=LM0 factor=0 path={GOLDEN}/lm.o3.arpa order=3

[weight]
{lines}
"""
    )
    return path


class Line:
    """A line of an n-best list, read."""

    def __init__(self, line: str) -> None:
        number, words, features, total = line.rstrip("\n").split(" ||| ")
        self.number = int(number)
        self.words = words.split()
        self.total = float(total)
        self.features: dict[str, list[float]] = {}
        for part in features.split():
            if part.endswith("="):
                values = self.features.setdefault(part[:-1], [])
            else:
                values.append(float(part))


def golden(name: str, limit: int) -> list[str]:
    return (GOLDEN / f"nbest1.{name}.dl{limit}.txt").read_text().splitlines()


def words_of(name: str, limit: int = 6) -> list[str]:
    """Return Moses' translations."""
    return [line.split(" ||| ")[1].strip() for line in golden(name, limit)]


def check_equal(ours: Line, theirs: Line) -> bool:
    """Check a line against Moses'; True if the words are the same."""
    assert ours.number == theirs.number
    if ours.words != theirs.words:
        assert ours.total >= theirs.total - 1e-3
        return False
    assert math.isclose(ours.total, theirs.total, abs_tol=1e-3)
    return True
