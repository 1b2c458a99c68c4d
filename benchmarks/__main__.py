"""All benchmarks, one after another: ``python -m benchmarks --toy`` takes seconds."""

from benchmarks import alignment, bitext, extraction, features, roles, startup
from benchmarks.harness import run

run(
    (
        startup.startup,
        bitext.speed,
        bitext.memory,
        extraction.speed,
        extraction.scaling,
        alignment.aligners,
        features.speed,
        features.hashers,
        features.paper_scale,
        roles.roles,
    ),
    "All of Tartib's benchmarks.",
)
