"""Every format that Tartib reads: a small sample of it, and how it is loaded and used."""

from tests.campaign.formats.builds import BUILDS
from tests.campaign.formats.definition import Format
from tests.campaign.formats.runs import RUNS
from tests.campaign.formats.stores import STORES
from tests.campaign.formats.texts import TEXTS

FORMATS: dict[str, Format] = {form.name: form for form in (*STORES, *RUNS, *BUILDS, *TEXTS)}
