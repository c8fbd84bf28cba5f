"""Strategies whose choices come from networks trained by self-play; NumPy alone runs them."""
