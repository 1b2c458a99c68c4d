"""What ``tartib demo`` runs: the whole pipeline on the embedded synthetic corpus."""

from tartib.demo.pipeline import Demo as Demo
from tartib.demo.pipeline import run_demo as run_demo
