# make_normals.py -- pairs of uniform numbers, and their normal numbers by Box
# and Muller's formula in NumPy's fp64; normals.py compares.
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
random = np.random.default_rng(4)
u = random.integers(0, 2**24, (2, 256)).astype(np.float32) / np.float32(2**24)
# The places where the logarithm is nearly 0, and where it is cut off.
u[0, :24] = 1 - np.arange(1, 25) / np.float32(2**24)
u[0, 24:48] = 1 - 2.0 ** -np.arange(1, 25)
u[0, 48:52] = 0, 1e-8, 1e-7, 2e-7
x, y = u.astype(np.float64)
r = np.sqrt(-2 * np.log(np.maximum(x, np.float64(np.float32(1e-7)))))
np.save(HERE / "normals-u.npy", u)
np.save(HERE / "normals-wanted.npy", np.stack([r * np.cos(2 * np.pi * y), r * np.sin(2 * np.pi * y)]))
np.save(HERE / "normals.npy", np.zeros((2, 256)))
