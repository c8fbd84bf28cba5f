"""Matches between strategies that visitors start and watch in the browser."""
