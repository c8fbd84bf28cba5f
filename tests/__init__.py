"""The tests, laid out as the source tree is."""
