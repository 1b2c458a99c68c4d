"""The plan of a classification experiment."""

from tartib.experiments import ClassificationOptions
from tartib.experiments.classification.plan import Plan
from tartib.experiments.run.classifiers import Fit
from tartib.experiments.run.corpus import Corpus


def test_a_plan_tunes_at_full_size_first(options: ClassificationOptions) -> None:
    plan = Plan(options, Corpus.of(options))
    groups = plan.groups()
    tuned = set()
    for group in groups:
        tuned |= set(group.tunings)
        for fit in group.fits:
            assert isinstance(fit, Fit)
            assert fit.tuning in tuned
            assert fit.tuning is not None
            assert fit.tuning.rows.share == 1
    fits = [fit for group in groups for fit in group.fits]
    assert len(fits) == len(set(fits))  # a point of Figure 2 that is a cell too is computed once
    assert len({fit.key for fit in fits}) == len(fits)
