"""The report of `tribridge paper`: the page, its figures, the PDF, and how it was run."""
