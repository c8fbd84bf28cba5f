"""Speed and accuracy beside the alternatives, one module for each measurement."""
