"""How many examples Hypothesis tries: all of them in a campaign, fewer in an ordinary run."""

from hypothesis import settings


def examples(number: int) -> settings:
    """Try ``number`` examples in `make campaign`, a tenth of them (but at least 25) otherwise."""
    if settings.get_current_profile_name() != "campaign":
        number = min(number, max(number // 10, 25))
    return settings(max_examples=number)
