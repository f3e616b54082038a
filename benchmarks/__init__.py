"""Measurements, printed as ratios of two ways of doing the same thing in one run: a machine's speed cancels out."""
