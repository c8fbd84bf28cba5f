"""The functions behind `import tribridge as tb`: they read text and call the packages below.

Nothing is decided here. Heavy parts (NumPy, Numba, the networks) are imported when a function
that needs them is called.
"""
