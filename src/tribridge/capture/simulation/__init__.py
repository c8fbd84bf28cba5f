"""Simulation of the paper's game: four implementations that agree bit for bit.

`reference` runs the algorithms as they are written; `arrays` is NumPy on whole arrays; `kernel` is
compiled (with `tables`, `dealing` and the vector instructions of `simd`); `gpu` is CUDA. `counts`
holds what they add up to and runs them over many deals.
"""
