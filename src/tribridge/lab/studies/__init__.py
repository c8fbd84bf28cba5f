"""Studies: experiments with their tables, figures and claims; the paper's own figures."""
