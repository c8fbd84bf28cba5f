"""The commands of the laboratory: paper, train, label, benchmark, speed and equilibrium."""
