# make_libdevice.py -- values of functions of libdevice, by mpmath, correctly
# rounded; libdevice.py compares.
import pathlib

import mpmath
import numpy as np

HERE = pathlib.Path(__file__).parent
COUNT = 64

# By name: the function, and the sizes of its arguments; if the first size is
# negative, arguments have both signs.
ROWS = [
    (mpmath.log1p, -1e-9, 0.999),
    (mpmath.log1p, 1e-5, 1e30),
    (mpmath.expm1, -1e-9, 0.7),
    (mpmath.expm1, -0.3, 88),
    (mpmath.asinh, -1e-6, 1e12),
    (mpmath.acosh, 1, 1e12),
    (mpmath.atanh, -1e-6, 0.9999),
    (mpmath.sinh, -1e-6, 80),
    (mpmath.cosh, -1e-6, 80),
    (mpmath.log10, 0.9, 1.1),
    (mpmath.log10, 1e-37, 1e37),
    (lambda x: mpmath.power(10, x), -1e-6, 37),
    (lambda x: mpmath.power(x, 7.25), 1e-4, 1e5),
    (mpmath.cbrt, 1e-30, 1e30),
    (mpmath.tan, -1e-6, 1000),
]
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0, 1e-40, -1e-40, 1e-310]
# The places where functions are least regular.
VALUES = {
    mpmath.log1p: [0.0, -0.0, np.inf, np.nan, np.nan, -np.inf, np.nan],
    mpmath.expm1: [0.0, -0.0, np.inf, -1.0, np.nan],
}


def rounded(value, dtype):
    """The nearest number of the type."""
    if mpmath.isinf(value) or mpmath.isnan(value):
        return dtype(float(value))
    guess = dtype(float(value))
    around = [guess, np.nextafter(guess, dtype(np.inf)), np.nextafter(guess, dtype(-np.inf))]
    around = [g for g in around if np.isfinite(g)]
    return min(around, key=lambda g: abs(mpmath.mpf(float(g)) - value))


def row(function, low, high, dtype, random):
    sizes = np.exp(random.uniform(np.log(abs(low)), np.log(high), COUNT))
    signs = random.choice([-1, 1], COUNT) if low < 0 else 1
    x = (signs * sizes).astype(dtype)
    known = VALUES.get(function, [])
    if known:
        x[: len(EDGES)] = np.array(EDGES).astype(dtype)
    wanted = list(known)
    for v in x[len(known) :]:
        # 0 where 1e-310 is none
        wanted.append(rounded(function(mpmath.mpf(float(v))), dtype) if v else v)
    return x, np.array(wanted, dtype)


def make(dtype, name):
    random = np.random.default_rng(3)
    rows = [row(*r, dtype, random) for r in ROWS]
    np.save(HERE / f"libdevice-x{name}.npy", np.stack([x for x, _ in rows]))
    np.save(HERE / f"libdevice-wanted{name}.npy", np.stack([w for _, w in rows]))


mpmath.mp.prec = 2400
make(np.float32, "32")
make(np.float64, "64")
np.save(HERE / "libdevice.npy", np.zeros((len(ROWS), COUNT), np.int64))
