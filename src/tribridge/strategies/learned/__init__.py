"""Strategies driven by networks trained by self-play; they need only NumPy to run."""
