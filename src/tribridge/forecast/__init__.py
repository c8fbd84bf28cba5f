"""Forecasts of tricks from 13 or 26 cards."""

from __future__ import annotations

from tribridge.forecast.distribution import Distribution as Distribution
from tribridge.forecast.distribution import Span as Span
from tribridge.forecast.distribution import forecast_json as forecast_json
from tribridge.forecast.kinds import DEFAULT as DEFAULT
from tribridge.forecast.kinds import KINDS as KINDS
from tribridge.forecast.kinds import Forecaster as Forecaster
from tribridge.forecast.kinds import find_forecaster as find_forecaster
from tribridge.forecast.kinds import forecast as forecast
from tribridge.forecast.kinds import forecast_many as forecast_many
