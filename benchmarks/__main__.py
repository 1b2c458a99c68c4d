"""All benchmarks, one after another: ``python -m benchmarks --toy`` takes seconds."""

from benchmarks import alignment, bitext, extraction, startup
from benchmarks.harness import run

run(
    (
        startup.startup,
        bitext.speed,
        bitext.memory,
        extraction.speed,
        extraction.scaling,
        alignment.aligners,
    ),
    "All of Tartib's benchmarks.",
)
