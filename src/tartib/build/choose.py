"""Which system and which distortion limit are best on the development set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tartib.build.choice import BLEU, Choice, Trial, best_limit, best_system
from tartib.build.plan import BuildPlan
from tartib.experiments.run.runner import Runner
from tartib.experiments.translation.stages import Tuned


@dataclass(frozen=True)
class Chooser:
    """Compares distortion limits with the first system, and then all systems at the best limit."""

    plan: BuildPlan
    runner: Runner

    def choose(self) -> Choice:
        """Run what is not finished, and decide."""
        systems, limits = list(self.plan.systems), sorted(self.plan.asked.choose.limits)
        if len(limits) == len(systems) == 1:
            return Choice(systems[0], limits[0], None, ())
        middle = limits[len(limits) // 2]
        first = self.plan.short_tuning(systems[0], middle)
        trials: list[Trial] = []
        limit = middle
        if len(limits) > 1:
            trials += [self._trial("limit", systems[0], first, each) for each in limits]
            limit = best_limit(trials, middle)
        if len(systems) == 1:
            return Choice(systems[0], limit, first, tuple(trials))
        tuned = {name: self.plan.short_tuning(name, limit, first) for name in systems}
        self.runner.finish(first)
        compared = [self._trial("system", name, tuned[name], limit) for name in systems]
        best = best_system(compared)
        return Choice(best, limit, tuned[best], (*trials, *compared))

    def _trial(
        self, what: Literal["limit", "system"], system: str, tuned: Tuned, limit: int
    ) -> Trial:
        scored = self.plan.trial(system, tuned, limit)
        self.runner.finish(tuned)
        self.runner.finish(scored)
        found = self.runner.workspace.require(scored.key)
        figure = found["scores"][BLEU]
        return Trial(
            what,
            system,
            self.plan.systems[system].title,
            limit,
            figure["score"],
            figure["low"],
            figure["high"],
            found["seconds"],
        )
