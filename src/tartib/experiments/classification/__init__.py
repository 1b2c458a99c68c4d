"""The classification half of both papers on any corpus."""
