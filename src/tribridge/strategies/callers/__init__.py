"""Callers: strategies for the auction."""
