"""Forecasts of tricks from 13 or 26 cards."""

from __future__ import annotations

from tribridge.forecast.distribution import Distribution, Span, forecast_json
from tribridge.forecast.kinds import (
    DEFAULT,
    KINDS,
    Forecaster,
    find_forecaster,
    forecast,
    forecast_many,
)

__all__ = [
    "DEFAULT",
    "KINDS",
    "Distribution",
    "Forecaster",
    "Span",
    "find_forecaster",
    "forecast",
    "forecast_json",
    "forecast_many",
]
