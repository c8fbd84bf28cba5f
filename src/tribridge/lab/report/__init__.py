"""Output: the matrix in the terminal and as SVG, forecasts and advice, figures, report pages."""
