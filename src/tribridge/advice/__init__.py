"""Advice: what to call, from forecasts and beliefs."""
