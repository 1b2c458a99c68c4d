"""All benchmarks, one after another: ``python -m benchmarks --toy`` takes seconds."""

from benchmarks import (
    alignment,
    bitext,
    classifiers,
    decoding,
    derivations,
    extraction,
    features,
    lm,
    phrase_table,
    roles,
    startup,
)
from benchmarks.harness import run

run(
    (
        startup.startup,
        bitext.speed,
        bitext.memory,
        extraction.speed,
        extraction.scaling,
        phrase_table.speed,
        phrase_table.loading,
        alignment.aligners,
        decoding.decoding,
        derivations.agreement,
        lm.estimation,
        lm.loading,
        lm.queries,
        features.speed,
        features.hashers,
        features.paper_scale,
        roles.roles,
        roles.alignments,
        classifiers.svms,
        classifiers.regressions,
        classifiers.threads,
        classifiers.shrinking,
        classifiers.vowpal,
        classifiers.loading,
        classifiers.paper_scale,
    ),
    "All of Tartib's benchmarks.",
)
