"""Slow, obvious twins of the native kernels, written from the definitions."""
