"""The functions behind `import tribridge as tb`: they parse text and call the packages below.

They contain no logic of their own. Heavy parts (NumPy, Numba, the networks) are imported when a
function that needs them is called.
"""
