"""From raw text to a translator that is one folder: the stages, and what they leave."""

from tartib.build.options import BuildOptions as BuildOptions
from tartib.build.results import BuildResults as BuildResults
from tartib.build.run import Built as Built
from tartib.build.run import build_system as build_system
