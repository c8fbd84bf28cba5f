"""Deals with their double-dummy tricks, for studies and fits."""
