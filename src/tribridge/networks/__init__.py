"""Trained networks in NumPy: what they see of a deal, and what positions are worth to one."""
