"""Measurements, each beside a named peer in the same run; never part of a unit test."""
