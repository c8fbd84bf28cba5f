"""Pictures and pages: the matrix in the terminal and as SVG, tables beside published ones."""
