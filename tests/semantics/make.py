# make.py -- writes the expected values of the tests here: `python3 make.py`.
#
# Needs numpy.  No expected value comes from this compiler.
import math
import pathlib
import re
import types
from fractions import Fraction

import numpy as np

HERE = pathlib.Path(__file__).parent


class Language:
    """The few names that plain Python needs to run a scalar kernel."""

    static_range = range

    def __init__(self, program):
        self.program = program
        self.stored = {}

    def program_id(self, axis):
        return self.program

    def store(self, pointer, value):
        self.stored[pointer] = value


def exits():
    """Python runs the kernel, program by program."""
    text = (HERE / "exits.py").read_text()
    text = re.sub(r"^(import|@).*\n", "", text, flags=re.M)
    out = np.zeros(800, np.int32)
    for program in range(100):
        tl = Language(program)
        names = {"tl": tl}
        exec(text, names)
        names["kernel"](0)
        for at, value in tl.stored.items():
            out[at] = value
    np.save(HERE / "exits.npy", out)


def elements():
    """Python calls the functions, element by element; address i holds i."""
    text = (HERE / "elements.py").read_text()
    text = re.sub(r"^(import|@).*\n", "", text, flags=re.M)
    tl = types.SimpleNamespace()
    names = {"tl": tl}
    exec(text, names)

    class Address(int):
        def to(self, type):
            return self

    def load(address, mask=True, other=None):
        return int(address) if mask else other

    def check(condition, message=""):
        assert condition, message

    tl.load, tl.device_assert = load, check
    tl.pointer_type, tl.int32 = lambda type: None, None
    tl.cast = lambda x, type: x
    out = np.zeros((13, 64), np.int32)
    for row, name in enumerate(["guarded", "left_early", "repeated", "shared"]):
        out[row] = [names[name](Address(0), i) for i in range(64)]
    out[4] = out[0]
    out[6:8] = np.transpose([names["as_far"](Address(0), i, 4) for i in range(64)])
    for row, name in (8, "chased"), (9, "searched"):
        out[row] = [names[name](Address(0), i) for i in range(64)]
    for row, name in (10, "endless"), (11, "counted"), (12, "assigned"):
        out[row] = [names[name](i, 4) for i in range(64)]
    np.save(HERE / "elements.npy", out.reshape(-1))


def powers():
    random = np.random.default_rng(1)
    x = random.uniform(-3, 3, 64).astype(np.float32)
    i = random.integers(-5, 6, 64).astype(np.int32)
    i[:3] = 1, -1, 0
    n = random.integers(-6, 8, 64).astype(np.int32)
    n[:3] = -3, -3, 0
    v, k = x.astype(np.float64), n.astype(np.float64)
    half = x.astype(np.float16)
    rows = [v**2, v**-3.0, v**0, np.abs(v) ** 0.5, v**k, 2**v, np.abs(v) ** v, half**2]
    np.save(HERE / "powers-x.npy", x)
    np.save(HERE / "powers-i.npy", i)
    np.save(HERE / "powers-n.npy", n)
    np.save(HERE / "powers.npy", np.stack(rows).astype(np.float64))
    # Python's integers; quotients below 1 are truncated, and 0 ** -n is 0.
    whole = [int(int(b) ** int(e)) if b or e >= 0 else 0 for b, e in zip(i, n)]
    rows = [i**3, np.array(whole), 2 ** np.abs(n)]
    np.save(HERE / "powers-int.npy", np.stack(rows).astype(np.int32))


def beyond():
    """Sums by the lines of beyond.py: 3 + 3; 1, 2 and n = 5; 3 + 321; 15 +
    500."""
    i = np.arange(16)
    a, b = (i[:, None] + 3 * i) % 7, (5 * i[:, None] + i) % 11
    product = a.T @ b.T * np.arange(256).reshape(16, 16)
    wanted = [6, 521, 324, 515, 1, 6, 110, 5, product.sum()]
    np.save(HERE / "beyond.npy", np.array(wanted, np.int32))


def from_e4m3(byte):
    sign, e, m = -1.0 if byte & 128 else 1.0, byte >> 3 & 15, byte & 7
    return sign * (m / 8 * 2.0**-6 if e == 0 else (1 + m / 8) * 2.0 ** (e - 7))


def scaled():
    """Values by the tables of the OCP Microscaling specification."""
    random = np.random.default_rng(2)
    e2m1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    e2m1 = np.concatenate([e2m1, -e2m1])
    a4, b4 = random.integers(0, 16, (32, 64)), random.integers(0, 16, (64, 32))
    sa, sb = random.integers(120, 134, (32, 2)), random.integers(120, 134, (32, 2))
    scale_a = np.repeat(2.0 ** (sa - 127.0), 32, axis=1)
    scale_b = np.repeat(2.0 ** (sb - 127.0), 32, axis=1).T
    c = (e2m1[a4] * scale_a) @ (e2m1[b4] * scale_b)
    a8 = random.integers(0, 256, (32, 64))
    a8[(a8 & 127) == 127] = 0  # no NaN
    values = np.vectorize(from_e4m3)(a8)
    b16 = random.integers(-8, 9, (64, 32)).astype(np.float32)
    pack = lambda low, high: (low | high << 4).astype(np.uint8)
    save = lambda name, x: np.save(HERE / f"scaled-{name}.npy", x)
    save("a4", pack(a4[:, 0::2], a4[:, 1::2]))
    save("b4", pack(b4[0::2], b4[1::2]))
    save("a4r", pack(a4[0::2], a4[1::2]))
    save("b4r", pack(b4[:, 0::2], b4[:, 1::2]))
    save("sa", sa.astype(np.uint8))
    save("sb", sb.astype(np.uint8))
    save("a8", a8.astype(np.uint8))
    save("b16", b16)
    save("4", c.astype(np.float32))
    save("8", ((values * scale_a) @ b16).astype(np.float32))
    # Each code with the largest and smallest scales, and scaled back.
    far = np.array([*range(16), *range(237, 253)])
    every = np.arange(64) % 16
    picked = np.concatenate([np.arange(16), np.arange(32, 48)])
    save("all4", np.tile(pack(every[0::2], every[1::2]), (32, 1)))
    save("far", np.stack([far, far[::-1]], axis=1).astype(np.uint8))
    save("pick", (np.arange(64)[:, None] == picked).astype(np.float32))
    back = np.repeat(np.stack([far, far[::-1]], axis=1), 16, axis=1)
    save("back", (2.0 ** (127.0 - back)).astype(np.float32))
    save("codes", np.tile(e2m1[every[:32]], (32, 1)).astype(np.float32))


def from_e4b15(byte):
    sign, e, m = -1.0 if byte & 128 else 1.0, byte >> 3 & 15, byte & 7
    return sign * (m / 8 * 2.0**-14 if e == 0 else (1 + m / 8) * 2.0 ** (e - 15))


def to_e4b15(x):
    """The code of the nearest number up to 1.75; a tie goes away from 0."""
    sizes = [from_e4b15(code) for code in range(0x7F)]
    size = min(abs(x), 1.75) if x == x else 1.75
    code = max(range(0x7F), key=lambda c: (-abs(sizes[c] - size), c))
    return code | (128 if np.signbit(x) else 0)


def causal():
    """Sums of whole numbers; the rows' limits lie as in `causal.py`."""
    random = np.random.default_rng(12)
    a = random.integers(0, 4, (128, 16))
    b = random.integers(0, 4, (16, 64))
    lowest, highest = -(2**31), 2**31 - 128
    rows = np.array([0, 128, 256, -128, lowest, highest, 1 << 20, lowest + 256])
    columns = np.array([0, 64, 128, 192, -64, -256, lowest, highest + 64, 1 << 20])
    def sums(m, n):
        scores = a[:m] @ b[:, :n]
        out = np.zeros((8, 9, 6))
        for i, first in enumerate(rows):
            row = first + np.arange(m)[:, None]
            for j, start in enumerate(columns):
                column = start + np.arange(n)[None, :]
                word = lambda x: np.int64(x).astype(np.int32)  # wraps
                out[i, j] = [np.where(c, x, y).sum() for c, x, y in (
                    (row >= column, scores, 0), (row > column, scores, 0),
                    (row < column, scores, 1), (column >= row, scores, 1),
                    (column < word(first + 37), scores, 2),
                    ((word(first - 5) <= row) & (scores == scores), 3, scores))]
        return out.astype(np.float32)
    np.save(HERE / "causal-rows.npy", rows.astype(np.int32))
    np.save(HERE / "causal-columns.npy", columns.astype(np.int32))
    np.save(HERE / "causal-a.npy", a.astype(np.float16))
    np.save(HERE / "causal-b.npy", b.astype(np.float16))
    np.save(HERE / "causal.npy", sums(128, 64))
    np.save(HERE / "causal-small.npy", sums(32, 32))


def codes():
    """The 8-bit floats of fp8e4b15: fp16 without its lowest bits."""
    values = np.array([from_e4b15(code) for code in range(256)], np.float32)
    edges = [0, 1.75, 1.8125, 2, 448, 65504, 1e30, np.inf, 2.0**-17, 2.0**-18, 2.0**-24]
    x = np.array([*edges, *(-np.array(edges)), 1.0625, 1.1875], np.float32)
    middles = (values[:126] + values[1:127]) / 2
    random = np.random.default_rng(4).uniform(-2, 2, 256 - len(x) - 126)
    # Rounded to fp16 towards 0 first, as in Triton.
    random = (random.astype(np.float32).view(np.int32) & ~0x1FFF).view(np.float32)
    x = np.concatenate([x, middles, random]).astype(np.float32)
    assert len(x) == 256
    np.save(HERE / "codes-bytes.npy", np.arange(256, dtype=np.uint8))
    np.save(HERE / "codes-values.npy", values)
    n = np.arange(256) * 3 - 100
    eighths = np.trunc(n / 8)
    bools = [n.astype(np.int8), eighths.astype(np.int8), eighths != 0]
    np.save(HERE / "codes-bools.npy", np.concatenate(bools).astype(np.uint8))
    bools = [n != 0, n / 8 != 0, n / 8 != 0]
    np.save(HERE / "codes-truths.npy", np.concatenate(bools).astype(np.uint8))
    np.save(HERE / "codes-sizes.npy", np.tile(np.arange(256) & 127, 3).astype(np.uint8))
    np.save(HERE / "codes-x.npy", x)
    np.save(HERE / "codes.npy", np.array([to_e4b15(v) for v in x], np.uint8))
    square = values[:256].reshape(16, 16).astype(np.float64)
    np.save(HERE / "codes-product.npy", (square @ square).astype(np.float32))


def assembly():
    random = np.random.default_rng(3)
    b = random.integers(0, 256, 256).astype(np.uint8)
    w = random.integers(-1000, 1000, 256).astype(np.int32)
    f = random.integers(-1000, 1000, 256).astype(np.float32)
    out = np.zeros((5, 256), np.int32)
    out[0], out[1], out[2], out[3] = b ^ 1, w + 7, w - 7, -f
    out[4, :64] = ~b[:64]
    for name, x in (("-b", b), ("-w", w), ("-f", f), ("", out)):
        np.save(HERE / f"assembly{name}.npy", x)


def of_range(*limits):
    values = list(range(*limits))
    return [len(values), sum(values), *((values[0], values[-1]) if values else (-1, -1))]


def loops():
    start, end, step = 5, 93, 7
    rows = [
        of_range(start, end),
        of_range(start, end, 3),
        of_range(end, start, -1),
        of_range(end, start, -4),
        of_range(0, end, 2),
        of_range(start, 100, step),
    ]
    save = lambda name, x: np.save(HERE / f"loops{name}.npy", np.array(x).astype(np.int64))
    save("-limits", [start, end, step])
    save("", [rows] * 8)
    ends = [np.iinfo(f"{sign}int{n}").max for sign in ("", "u") for n in (8, 16, 32, 64)]
    save("-edges-limits", np.array([[e - 3, e] for e in ends], np.uint64).view(np.int64))
    save("-edges", [[3, 3]] * 8)
    n = 23
    save(
        "-steps",
        [
            of_range(n, 0, -1),
            of_range(n - 1, -1, -5),
            of_range(0, n, n),
            of_range(n, n),
            of_range(n, 0),
            of_range(-n, n, n // 3),
            of_range(-(-n // 4) - 1, -1, -1),
        ],
    )


def accesses():
    out = np.zeros(512, np.uint8)
    out[:256] = np.arange(256)
    np.save(HERE / "accesses.npy", out)
    np.save(HERE / "accesses-bools.npy", np.array([1, 1, 0, 1], np.uint8))


def arguments():
    """The results that the kernels of arguments.py store, worked out by hand.
    """
    half = float(np.float16(2049))
    values = {
        "constants": np.array([2, 12, 32, 0.125, 1, 0.25, half, 2, 0.25, 16]),
        "tuples": np.array([3, 1, 0.5, 16, -7]),
        "ints": np.array([17, -6], np.int32),
        "folded": np.array([1, 2, 1, 1, 64, 32], np.int32),
        "annotated": np.array([7, 7, 14, 7, 1, 16], np.int32),
        "tuned": np.array([64, 1, 0, 128], np.int32),
        "tuned-1": np.array([25, 4, 1, 128], np.int32),
    }
    for name, x in values.items():
        np.save(HERE / f"arguments-{name}.npy", x)


def many_tiles():
    """Each tile combined by the operator that many-tiles.py has for it."""
    x = np.arange(32) * 7 % 13
    own = {4: np.maximum, 9: np.minimum, 15: np.maximum}
    tiles = [(own.get(k, np.add), x * (k + 1) - 5 * k) for k in range(16)]
    sums = [f.reduce(tile) for f, tile in tiles]
    runs = [f.accumulate(tile) for f, tile in tiles]
    np.save(HERE / "many-tiles.npy", np.array(sums, np.int32))
    np.save(HERE / "many-tiles-runs.npy", np.array(runs, np.int32))


def merges():
    """Values by hand, as Python gives; run-time `//` and `%` truncate."""
    first = [4, 7, 5, 5.25, 6, 5, 12.5, 4, 1, 1, -7, 2]
    other = [2, 3, 3, 3, 5, 5, 2, 2, 0, 2.5, -5, 3]
    np.save(HERE / "merges.npy", np.array(first, np.float32))
    np.save(HERE / "merges-other.npy", np.array(other, np.float32))
    joined = [3, 5, 6, 7]
    values = [1, 0, 7, 11, 4, 12, sum(joined), sum(v * v for v in joined)]
    np.save(HERE / "merges-tuples.npy", np.array(values, np.int32))


def descriptors():
    """The arrays that the kernels of descriptors.py read and write."""
    x = np.arange(240, dtype=np.float32).reshape(10, 24)
    random = np.random.default_rng(5)
    a = random.integers(-8, 8, (40, 48)).astype(np.float16)
    b = random.integers(-8, 8, (48, 32)).astype(np.float16)
    values = {"a": a, "b": b, "product": a.astype(np.float32) @ b}
    for name, padding in ("zeros", 0), ("nans", np.nan):
        tiles = np.full((16, 32), padding, np.float32)
        tiles[:10, :24] = x
        tiles += 10 * 1000 + 24 * 1 + 24
        values[name] = tiles.reshape(2, 8, 2, 16).swapaxes(1, 2)
    values["transposed"] = np.zeros((24, 16), np.int16)
    values["transposed"][:, :10] = x.T
    planes = np.zeros((3, 4, 8), np.int32)
    planes[:, :3] = np.arange(120, dtype=np.int32).reshape(3, 5, 8)[:, 2:]
    values["sums"] = planes.sum(2, dtype=np.int32)
    values["total"] = planes.sum((0, 1), dtype=np.int32)
    halves = random.normal(0, 9, (8, 16)).astype(np.float16)
    halves[:, 3], halves[:, 5] = abs(halves[:, 3]), -abs(halves[:, 5])
    zero = np.float16(0)
    values["halves"] = halves
    values["high"] = np.maximum(halves.max(0), zero)[:12]
    values["low"] = np.minimum(halves.min(0), zero)[:12]
    # The last store is past the end of the first dimension.
    x = np.arange(42, dtype=np.float32)
    values["far"] = np.pad(x + np.arange(42) // 16 * 16, (0, 6)).astype(np.float32)
    values["far"][:16] = 7
    for name, x in values.items():
        np.save(HERE / f"descriptors-{name}.npy", np.ascontiguousarray(x))


def starts():
    """Inputs are whole numbers, so that sums are exact in any order."""
    random = np.random.default_rng(5)
    q, k, v, r = (random.integers(-2, 3, (64, 16)).astype(np.float16)
                  for _ in range(4))
    bias = random.integers(-99, 100, (64, 64)).astype(np.float32)
    for name, x in dict(q=q, k=k, v=v, r=r, bias=bias).items():
        np.save(HERE / f"starts-{name}.npy", x)
    q, k, v, r, bias = (x.astype(np.float64) for x in (q, k, v, r, bias))
    scores = q @ k.T + bias
    one = scores @ v
    cut = (q @ k.T + np.where(np.arange(64)[:, None] < 50, bias, 3)) @ v
    two = (2 * scores + r @ k.T) @ v
    for name, x in dict(one=one, cut=cut, two=two, alone=scores).items():
        np.save(HERE / f"starts-{name}.npy", x.astype(np.float32))


def bases():
    """Inputs are small whole numbers: exact in any order."""
    random = np.random.default_rng(8)
    some = lambda *shape: random.integers(-1, 2, shape).astype(np.float16)
    values = {"x": some(136, 64), "y": some(64, 64), "q": some(64, 64), "k": some(192, 64), "v": some(192, 64)}
    wide = {name: a.astype(np.float64) for name, a in values.items()}
    rows = np.array([wide["x"][at : at + 64] for at in (64, 72)])
    values["sums"] = (rows @ wide["y"]).astype(np.float32)
    for name, length in ("none", 0), ("one", 64), ("three", 192):
        total = np.zeros((64, 64))
        for at in range(0, length, 64):
            scores = wide["q"] @ wide["k"][at : at + 64].T * 0.5
            total = total * 0.5 + scores @ wide["v"][at : at + 64]
        values[name] = total.astype(np.float32)
    values["large"] = np.arange(65536, dtype=np.int32).reshape(64, 1024).sum(0, dtype=np.int32)
    values["columns"] = np.arange(8192, dtype=np.int32).reshape(128, 64).sum(0, dtype=np.int32)
    for name, a in values.items():
        np.save(HERE / f"bases-{name}.npy", a)


def products():
    """Inputs are halves: sums are exact in any order; rows of zeros have a
    sign."""
    random = np.random.default_rng(6)
    x = (random.integers(-9, 10, (32, 64)) / 2).astype(np.float32)
    y = (random.integers(-9, 0, (64, 64)) / 2).astype(np.float32)
    x[1], x[4] = 0, -0.0
    y[:, 3] = -y[:, 3]
    sums = x[:, :1] * y[:1]
    for k in range(1, 64):
        sums += x[:, k : k + 1] * y[k : k + 1]
    save = lambda name, x: np.save(HERE / f"products{name}.npy", x)
    save("-x", x)
    save("-y", y)
    for name, tile in {
        "": sums,
        "-corner": sums[:16, :16],
        "-small": sums[:8, :8],
        "-steps": np.float32(0) + sums,
    }.items():
        save(name, np.ascontiguousarray(tile).view(np.int32))


def batches():
    """Inputs are small whole numbers: exact in any type and any order."""
    random = np.random.default_rng(7)
    x = random.integers(-4, 5, (2, 4, 16, 32)).astype(np.float32)
    y = random.integers(-4, 5, (2, 4, 32, 16)).astype(np.float32)
    np.save(HERE / "batches-x.npy", x)
    np.save(HERE / "batches-y.npy", y)
    np.save(HERE / "batches.npy", x @ y)


def halves():
    x = np.arange(1, 65, dtype=np.float32) / 16
    wide = x.astype(np.float64)
    erf = np.vectorize(math.erf)
    out = [np.floor, np.ceil, np.exp, np.exp2, np.log, np.log2, np.cos, np.sin, np.sqrt]
    out = [f(wide) for f in out] + [1 / np.sqrt(wide), erf(wide)]
    np.save(HERE / "halves-x.npy", x)
    np.save(HERE / "halves.npy", np.array(out, np.float32))


def carried():
    # Odd multiples of the smallest fp16: divided among threads they would lose all
    # bits.
    np.save(HERE / "carried-x.npy", (np.arange(1, 128, 2) * 2.0**-24).astype(np.float16))
    np.save(HERE / "carried-grown.npy", np.full(64, np.inf, np.float32))


def moves():
    random = np.random.default_rng(23)
    save = lambda name, x: np.save(HERE / f"moves-{name}.npy", np.ascontiguousarray(x))
    x, y = random.integers(-99, 99, (2, 64)).astype(np.int32)
    save("x", x)
    save("y", y)
    i, out = np.arange(64), np.zeros((8, 64), np.int32)
    for k in range(8):
        of_x = (i + k) % 2 == 0
        v = np.where(of_x, x, y)
        x = v * 2 + k
        out[k] = np.where(of_x, x, y) - v
    save("x-after", x)
    save("either", out)
    start = random.integers(-9, 9, (16, 16)).astype(np.int32)
    save("square", start)
    turned, sums = [], []
    for n in range(4):
        tile = start.T
        for _ in range(n):
            tile = tile.T * 3 + tile.sum(0)[:, None]
        turned.append(tile.T)
        for _ in range(n - 2):
            tile = tile + np.cumsum(tile, 1)
        sums.append(tile.sum(1))
    save("turned", np.array(turned, np.int32))
    save("sums", np.array(sums, np.int32))
    x, i = random.integers(-99, 99, 261).astype(np.int32), np.arange(256)
    save("long", x)
    for k in range(5):
        x[k + i] = x[k + 255 - i] * 2 + 256 * k
    save("carried", x)
    others = np.zeros((16, 32), np.int32)
    others[0, 0], others[5, 9] = 3, -2
    save("others", others)
    b = np.concatenate([start, start]).astype(np.int8).astype(np.int64)
    flat, where, sums, rows = start.ravel(), np.arange(512).reshape(16, 32), 0, []
    for k in range(8):
        a = np.where(where % 8 < k, flat[where % 256], others).astype(np.int8)
        sums = sums + a.astype(np.int64) @ b
        rows.append(sums)
    save("masked", np.array(rows, np.int32))
    least, most = -(2**31), 2**31 - 1
    ranges = [(0, 9, 1), (0, 0, 1), (7, 3, 2), (most - 20, most, 7), (most - 3, most, 3), (0, most, most),
              (-5, most, 2**30), (5, least, least), (least + 20, least, -7), (9, -9, -4), (0, least, -(2**30)),
              (least, most, most)]
    tiles = random.integers(-4, 5, (4, 16, 16)).astype(np.float16)
    save("ranges", np.array(ranges, np.int32))
    save("tiles", tiles)
    wide = tiles.astype(np.float32)
    save("steps", np.array([sum((wide[k & 3] @ wide[0] for k in range(*r)), np.zeros((16, 16), np.float32))
                            for r in ranges]))


def waits():
    save = lambda name, x: np.save(HERE / f"waits-{name}.npy", np.array(x, np.int32))
    save("one", [7])
    i = np.arange(64)
    rows, data = [i], 0 * i
    for n in range(1, 4):
        rows.append(rows[-1] * 2 + n)
    for n in range(4):
        data = data * 3 + i + n
    save("chain", rows)
    save("turns", data)
    save("told", 3 * np.arange(512))


def nans():
    """The bits that code by Triton 3.9 for sm_90 gives; Triton converts no
    bf16 to fp8e4b15, so that the code of the same fp32 stands for it."""
    x = [[0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7fadbea7,
          0x7f800000, 0xff800000, 0, 0x80000000, 0x47c00000, 0x7f7fffff, 0xff7fffff],
         [0x7e00, 0xfe00, 0x7c01, 0xfc01, 0x7fff, 0xffff, 0x7dea,
          0x7c00, 0xfc00, 0, 0x8000, 0x7bff, 0x7bff, 0xfbff],
         [0x7fc0, 0xffc0, 0x7f81, 0xff81, 0x7fff, 0xffff, 0x7fad,
          0x7f80, 0xff80, 0, 0x8000, 0x47c0, 0x7f7f, 0xff7f]]
    nan, numbers = [0x7f] * 7, [0, 0x80]
    e5 = nan + [0x7b, 0xfb] + numbers + [0x7b, 0x7b, 0xfb, 0x3c, 0x3c]
    e4 = nan + [0x7e, 0xfe] + numbers + [0x7e, 0x7e, 0xfe, 0x38, 0x38]
    b15 = [0x7e] * 7 + [0x7e, 0xfe] + numbers + [0x7e, 0x7e, 0xfe, 0x78, 0x78]
    halves = [0x7e, 0xfe] * 3 + b15[6:]  # b15: NaNs keep their signs
    ones = [[0x3f800000], [0x3c00], [0x3f80]]
    np.save(HERE / "nans-x.npy", np.array([a + 2 * b for a, b in zip(x, ones)], np.uint32))
    np.save(HERE / "nans.npy", np.array([[e5, e4, b15], [e5, e4, halves], [e5, e4, b15]], np.uint8))
    np.save(HERE / "nans-5.npy", np.full(16, 0x7f, np.uint8))


def infinities():
    """The product of each two values.  The denormals and the tiny normal are
    exact as bf16."""
    x = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.7, 1 / 3, np.finfo(np.float32).max,
         -3.3960e38, 2e38, -3e30, 2.0**-40 / 3, 1.5 * 2.0**-126, 3 * 2.0**-133, -(2.0**-130)]
    x = np.array(x, np.float32)
    np.save(HERE / "infinities-x.npy", x)
    with np.errstate(all="ignore"):
        products = np.outer(x.astype(np.float64), x.astype(np.float64)).astype(np.float32)
        np.save(HERE / "infinities.npy", products)
        np.save(HERE / "infinities-scaled.npy", products * np.float32(2.0**20))


def reductions_by(x, axis):
    """The reductions of `x` as axes.py stores them: 128 places for each."""
    whole = lambda f: np.apply_along_axis(f, axis, x)
    most, at = x.max(axis), x.argmax(axis)
    found = [x.sum(axis), most, x.min(axis), at, x.argmin(axis), whole(np.bitwise_xor.reduce),
             x.prod(axis, dtype=np.int32), most * 16 + at, x.sum(axis), (x > 20).max(axis)]
    rows = np.zeros((len(found), 128), np.int32)
    for row, tile in zip(rows, found):
        row[: tile.size] = tile.ravel()
    return rows


def scans_by(x, axis):
    back = lambda f: np.flip(f(np.flip(x, axis), axis=axis, dtype=np.int32), axis)
    products = np.cumprod(x, axis=axis, dtype=np.int32)
    found = [np.cumsum(x, axis=axis), back(np.cumsum), products, products, back(np.cumprod), np.flip(x, axis)]
    return np.array([tile.ravel() for tile in found], np.int32)


def axes():
    random = np.random.default_rng(17)
    x = random.permutation(np.arange(-256, 256)).reshape(4, 8, 16).astype(np.int32) | 1
    save = lambda name, x: np.save(HERE / f"axes-{name}.npy", x)
    save("x", x)
    save("reductions", np.array([reductions_by(x, n - 3) for n in range(6)], np.int32))
    save("scans", np.array([scans_by(x, n - 3) for n in range(6)], np.int32))
    up, rest = np.sort(x, 2), np.full(512, 7, np.int32)
    rest[:128] = up[:, :, :-5:-1].ravel()
    save("orders", np.array([[up.ravel(), up[:, :, ::-1].ravel(), rest]] * 2))


def bf16_bits(x):
    """The bits of a number, rounded once; numbers past the largest are infinite."""
    exact = Fraction(x)
    if not exact:
        return 0
    size, power = abs(exact), math.frexp(abs(x))[1]
    size = round(size / Fraction(2) ** (power - 8))  # a Fraction rounds ties to even
    bits = min(((power + 126) << 7) + size - 128, 0x7F80)
    return bits | 0x8000 if exact < 0 else bits


def ends_of_rounding():
    tie = [257 << 22, 259 << 22, 257 << 21]
    x32 = [t + d for t in tie for d in (-1, 0, 1)] + [-tie[0] - 1, 2**31 - 1, -(2**31)]
    x32 += [2049, 2051, 65519, 65520]
    x64 = [(t << 32) + d for t in tie for d in (-1, 0, 1)] + [-(tie[1] << 32) - 1, 2**63 - 1, -(2**63)]
    x64 += [2**40 + 1, 65519, 65520, -65521]
    f64 = [(1 + 2.0**-8) * (1 + d * 2.0**-40) for d in (-1, 0, 1)]
    f64 += [-(1 + 3 * 2.0**-8) * (1 + d * 2.0**-40) for d in (-1, 0, 1)]
    f64 += [(1 + (2 * k + 1) * 2.0**-11) + d * 2.0**-40 for k in (0, 1) for d in (-1, 0, 1)]
    f64 += [65519.999999, -65520.0, 2.0**-24 * 1.5, 2.0**-25 * (1 + 2.0**-30)]
    rows = []
    for x in x32, x64, f64:
        with np.errstate(all="ignore"):
            halves = np.array([float_of(v) for v in x], np.float64).astype(np.float16)
        rows += [np.array([bf16_bits(v) for v in x], np.int64).astype(np.int16), halves.view(np.int16)]
    return np.array(x32, np.int32), np.array(x64, np.int64), np.array(f64), np.array(rows)


def float_of(x):
    """A double that rounds to fp16 as `x` does: 2^60 with its sign for a large
    x."""
    return float(x) if abs(x) < 2**53 else math.copysign(2.0**60, x)


def quotients_of(x, y, bits, signed):
    """C's quotients and remainders, or -1 and x where y is 0; results wrap."""
    half = 1 << bits - 1
    wrap = lambda v: (v + half) % (2 * half) - half if signed else v % (2 * half)
    found = []
    for a, b in zip(x, y):
        a, b = wrap(a), wrap(b)
        q = -1 if not b else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        found.append((wrap(q), a if not b else wrap(a - b * q)))
    as_i64 = lambda v: (v + 2**63) % 2**64 - 2**63
    return [[as_i64(q) for q, _ in found], [as_i64(r) for _, r in found]]


def limits():
    save = lambda name, x: np.save(HERE / f"limits-{name}.npy", np.ascontiguousarray(x))
    for name, x in zip(("x32", "x64", "f64", "rounded"), ends_of_rounding()):
        save(name, x)
    save("u32", np.array([2**31, 2**31 + 64], np.int64))
    save("offsets", np.tile(np.arange(64, dtype=np.int8), (2, 1)))
    save("counted", np.array([64, sum(range(2**31 - 5, 2**31 + 64, 3))]))
    i, n = np.arange(16), 2**31 - 8
    i32 = lambda x: x.astype(np.int32).astype(np.int64)
    save("ranges", np.array([i32(n + i), n + i, (n + i).astype(np.uint32), i32(n + i) < n + 3,
                             i32(i * n), (i - 8) * n * 4]).astype(np.int64))
    y = [-1, 1, 2, -2, 3, -1, 0, 0, 7, -7, -1, -1, 1, 0, 5, -5]
    x, rows = [], []
    for bits in 8, 16, 32, 64:
        least, most = -(1 << bits - 1), (1 << bits - 1) - 1
        x.append([least] * 4 + [least + 1] * 2 + [least, 7, most, most, most, 0, 0, 0, -11, -11])
    for signed in True, False:
        rows += [quotients_of(a, y, bits, signed) for a, bits in zip(x, (8, 16, 32, 64))]
    save("x", np.array(x, np.int64))
    save("y", np.array(y, np.int64))
    save("quotients", np.array(rows, np.int64))
    left = np.array([np.nan, 1, np.nan, 0, -0.0, np.inf, -np.inf, 1, 2, 1, np.nan, np.inf, 0, 3, -1, -2], np.float32)
    right = np.array([1, np.nan, np.nan, -0.0, 0, np.inf, np.inf, 2, 1, 1, np.inf, np.nan, np.nan, 3, -2, -1], np.float32)
    whole = ~np.array([left < right, left <= right, left > right, left >= right, left == right, left != right])
    save("left", left)
    save("right", right)
    save("negated", np.array([whole] * 4, np.int8))
    save("single", whole.sum(1).astype(np.int8))
    nan = np.float32(np.nan)
    x = np.array([1, -1, 0, -0.0, np.inf, -np.inf, 0, -0.0, 5, -5, 2, -2, 1e-45, -1e-45, 1, -3], np.float32)
    v = np.array([nan, nan, nan, -nan, nan, nan, -0.0, 0, -6, 6, -nan, -nan, 0, -0.0, np.inf, -np.inf], np.float32)
    most = np.where(np.isnan(v) | (x > v) | ((x == v) & ~np.signbit(x)), x, v)
    least = np.where(np.isnan(v) | (x < v) | ((x == v) & np.signbit(x)), x, v)
    save("memory", np.array([x] * 4))
    save("values", v)
    save("updated", np.array([most, least, most, least]))
    save("ones", np.ones((4, 64), np.float32))
    save("nothing", np.repeat([0, 0, 1, 1], 64).reshape(4, 64).astype(np.float32))


def e4m3(values):
    """The codes of numbers of this format; the code of 448 for an infinity."""
    code = np.arange(128)
    exponent, fraction = code >> 3, code & 7
    sizes = np.where(exponent, (8 + fraction) * 2.0 ** (exponent - 10), fraction * 2.0**-9)
    found = [127 if np.isnan(x) else int(np.argmin(abs(sizes[:127] - min(abs(x), 448)))) for x in values.flat]
    found = np.array(found).reshape(values.shape) | np.signbit(values) << 7
    return found.astype(np.uint8).view(np.int8)


def rows_of_orders():
    """Rows with a NaN at one place; then without NaN, with several, with
    almost only and only NaN, of either sign; infinities, zeros, and few values
    so that many are alike."""
    random = np.random.default_rng(11)
    few = np.array([0.0, -0.0, 1, -1, 2, 0.5, -3, 4, np.inf, -np.inf, 3, -0.25])
    x = random.choice(few, (32, 16))
    for i in range(16):
        x[i, i] = np.nan
    x[17] = random.choice([0.0, -0.0], 16)
    x[18, ::3] = x[19, 5:] = np.nan
    x[20] = np.nan
    x[21] = x[22] = x[23] = np.nan
    x[21, 6], x[22, 9], x[23, 15] = -np.inf, np.inf, 2
    x[24, ::2], x[24, 1::2] = np.nan, -np.inf
    x[25, ::2], x[25, 1::2] = np.inf, np.nan
    x[26] = -np.inf
    return np.where(np.isnan(x) & random.integers(0, 2, x.shape, bool), -x, x)


def first_of(choose, x, axis):
    """The place of the greatest or least number, 0 in a row of NaN alone."""
    nan = np.isnan(x)
    best = choose(np.where(nan, np.nan, x), axis=axis, keepdims=True)
    return np.where(nan.all(axis), 0, np.argmax(x == best, axis))


def orders(x):
    up = np.sort(x, -1)
    down = up[:, ::-1]
    most, least = np.nanmax(x, 1), np.nanmin(x, 1)
    zeros = (np.signbit(x) & (x == 0)).sum(1)
    one_by_one = [down[:, 0], up[:, 0], first_of(np.nanmax, x, 1), first_of(np.nanmin, x, 1), most]
    one_by_one += [first_of(np.nanmax, x, 1), least, least, zeros, zeros]
    rows = np.concatenate([up, down, down[:, :4], up[:, :4], up[:, :2], np.stack(one_by_one, 1)], 1)
    rest = [first_of(np.nanmax, x, 0), first_of(np.nanmin, x, 0), first_of(np.nanmax, x.reshape(4, 8, 16), 1)]
    rest += [up, down[:, :8]]
    rest = np.concatenate([a.reshape(-1) for a in rest])
    return rows.astype(np.float32), rest.astype(np.float32)


def sorts():
    x = rows_of_orders()
    save = lambda name, a: np.save(HERE / f"sorts-{name}.npy", np.ascontiguousarray(a))
    narrow = x.astype(np.float32)
    save("fp64", x.view(np.int64))
    save("fp32", narrow.view(np.int32))
    save("bf16", (narrow.view(np.int32) >> 16).astype(np.int16))
    save("fp16", x.astype(np.float16).view(np.int16))
    save("fp8e5", (x.astype(np.float16).view(np.int16) >> 8).astype(np.int8))
    save("fp8e4nv", e4m3(x))
    for name, values in {"": x, "finite-": np.clip(x, -448, 448)}.items():
        for part, wanted in zip(("rows", "rest"), orders(values)):
            save(name + part, wanted)
    random = np.random.default_rng(12)
    x = random.standard_normal(4096).astype(np.float32)
    x[random.choice(4096, 100, False)] = np.nan
    x[random.choice(4096, 60, False)] = -np.inf
    x[random.choice(4096, 9, False)] = np.inf
    x[random.choice(4096, 20, False)] = 0
    x[random.choice(4096, 20, False)] = -0.0
    save("whole", x.view(np.int32))
    keyed = sorted(x.tolist(), key=lambda v: (math.isnan(v), v, math.copysign(1, v)))
    bits = np.array(keyed, np.float32).view(np.int32)
    bits[np.isnan(keyed)] = 0x7FC00000
    save("up", bits)
    save("down", bits[::-1])
    save("best", bits[::-1][:256])


def bincount(x, bins):
    """Count the numbers of each bin; numbers without a bin are left out."""
    kept = [int(v) for v in x if 0 <= int(v) < bins]
    return np.bincount(np.array(kept, np.int64), minlength=bins).astype(np.int32)


def histograms():
    random = np.random.default_rng(7)
    x = random.integers(-200, 1300, 1024).astype(np.int32)
    x[::5], x[7::31], x[9::97] = 5, 2**31 - 1, -(2**31)
    save = lambda name, x: np.save(HERE / f"histograms-{name}.npy", x)
    save("x", x)
    save("count", bincount(x[:777], 512))
    save("few", bincount(x[:32], 64))
    save("one", bincount(x, 1))
    save("single", bincount(x[:1], 4))
    kinds = [np.int8, np.uint8, np.int16, np.uint16, np.uint32]
    tiles = [x.astype(kind) for kind in kinds]
    tiles += [x.astype(np.int64) << 32 | 7, x[x != 5].astype(np.uint64), x > 0]
    save("types", np.array([bincount(tile, 256) for tile in tiles]))
    total = np.zeros(128, np.int32)
    for i in range(3):
        low, high = bincount(x + i, 128), bincount(x - 100 * i, 128)
        total = np.sort(total * 3 + low) - high
    save("several", total)
    many = bincount(x * 29, 32768).reshape(64, 512)
    save("many", (many * np.arange(1, 65)[:, None]).sum(0).astype(np.int32))


def prefixes():
    save = lambda name, x: np.save(HERE / f"prefixes-{name}.npy", x)
    last = np.arange(1, 2049)
    save("sums", (last * float(np.float32(0.1))).astype(np.float32))
    save("wide", last * 0.1)
    columns = np.repeat(np.arange(1, 257), 8)
    save("columns", (columns * float(np.float32(0.1))).astype(np.float32))
    number = ((last - 1) * 40503 + 12345) % 65536
    save("products", np.cumprod(1 + (number - 32768) / 2**22).astype(np.float32))
    number = number[:256]
    affine = [int(number[0])]
    for x in number[1:]:
        affine.append((3 * affine[-1] + int(x)) % 2**32)
    others = [
        np.cumsum(number),
        np.cumprod(2 * number.astype(np.uint32) + 1, dtype=np.uint32),
        np.maximum.accumulate(number[::-1] - 40000)[::-1],
        np.maximum.accumulate(-number),
        np.bitwise_or.accumulate(number & 2184),
        np.array(affine, np.uint32),
    ]
    save("others", np.array([x.astype(np.uint32).view(np.int32) for x in others]))


def chains():
    """Inputs are whole numbers, so that sums are exact in any order."""
    random = np.random.default_rng(7)
    q = random.integers(-1, 2, (16, 16)).astype(np.float16)
    pool = random.integers(-1, 2, (9, 16, 16)).astype(np.float16)
    save = lambda name, x: np.save(HERE / f"chains-{name}.npy", x)
    save("q", q)
    save("pool", pool)
    q, pool = q.astype(np.float64), pool.astype(np.float64)

    def table(name, size, values):
        out = np.full(size, 1 << 28, np.int32)
        out[size - len(values):] = values
        save(name, out)
        return out

    def sums(name, count, first, term):
        """For each p below `count` the sum of term(i) over the trips first(p)."""
        out = [sum((term(i) for i in first(p)), np.zeros((16, 16))) for p in range(count)]
        save(name, np.array(out, np.float32))

    pages = table("table", 64, random.integers(0, 8, 7))
    numbers = table("numbers", 64, 57 + random.permutation(7))
    def pair(page):
        return q @ pool[page].T @ pool[page + 1]
    trips = lambda p: range(64 - p, 64)
    sums("two", 8, trips, lambda i: pair(pages[i]))
    sums("three", 8, trips, lambda i: pair(pages[numbers[i]]))
    sums("ahead", 8, trips, lambda i: q @ pool[pages[i]])
    short = table("short", 9, random.integers(0, 8, 9))
    own = table("short-numbers", 64, random.integers(0, 8, 6))
    sums("unlike", 4, lambda p: range(64 - 2 * p, 64, 2),
         lambda i: q @ pool[own[i]].T @ pool[short[own[i]]] + short[own[i]])
    next = table("next", 9, np.array([3, 5, 7, 1, 0, 2, 4, 6, 8]))
    listed = [4]
    while len(listed) < 8:
        listed.append(next[listed[-1]])
    sums("listed", 8, range, lambda i: q @ pool[listed[i]])
    rows = table("rows", 192, random.integers(0, 9 * 16, 107))
    order = table("row-numbers", 192, 85 + random.permutation(107))
    def row(of):
        return lambda at: np.outer(q[:, at[1]], pool.reshape(-1, 16)[of(at[0])])
    parts = lambda p: [(i, k % 16) for k, i in enumerate(range(192 - 16 * p + 5 * (p > 0), 192))]
    sums("rows-two", 8, parts, row(lambda i: rows[i]))
    sums("rows-three", 8, parts, row(lambda i: rows[order[i]]))


def releases():
    """The bytes that the kernels of `releases.py` store, row by row."""
    numbers = np.int16(256), np.int64(1 << 40), np.float16(0.25)
    for name, of in ("truths", lambda x: x != 0), ("bytes", lambda x: x.astype(np.int8) != 0):
        big, far, small = (np.uint8(of(x)) for x in numbers)
        out = np.zeros((8, 16), np.uint8)
        out[0], out[1], out[2], out[3, 0] = big, far, small, big
        out[4], out[5], out[7, 1:4] = big, small, name == "truths"  # the last: NaN
        np.save(HERE / f"releases-{name}.npy", out)


def persistent():
    """Inputs are whole numbers, so that sums are exact in any order."""
    random = np.random.default_rng(9)
    a = random.integers(-2, 3, (128, 64)).astype(np.float16)
    b = random.integers(-2, 3, (256, 64)).astype(np.float16)
    for name, x in ("-a", a), ("-b", b), ("", a.astype(int) @ b.T.astype(int)):
        np.save(HERE / f"persistent{name}.npy", x.astype(np.float16))


def grouped():
    """Products of rows that a table names, and of several tensors in one
    array; inputs are whole numbers, so that sums are exact in any order."""
    random = np.random.default_rng(33)
    save = lambda name, x: np.save(HERE / f"grouped{name}.npy", x)
    halves = lambda *shape: random.integers(-2, 3, shape).astype(np.float16)
    x, w = halves(100, 96), halves(96, 256)
    rows = random.integers(-2, 104, 128).astype(np.int32)
    to = random.permutation(144)[:128].astype(np.int32)
    inside = (rows >= 0) & (rows < 100)
    taken = np.where(inside[:, None], x[np.where(inside, rows, 0)], 0)
    gathered = np.zeros((144, 256))
    gathered[to] = taken.astype(int) @ w.astype(int)
    for name, y in ("-x", x), ("-w", w), ("-rows", rows), ("-to", to):
        save(name, y)
    save("-gathered", gathered[:140].astype(np.float16))

    sizes, parts, ends = [], ([], [], []), [0, 0, 0]
    for m, n, k in (100, 72, 64), (64, 64, 32), (8, 40, 96), (24, 200, 40):
        a, b = halves(m, k), halves(k, n)
        sizes.append([m, n, k, *ends])
        for i, y in enumerate((a, b, a.astype(int) @ b.astype(int))):
            parts[i].append(y.astype(np.float16).ravel())
            ends[i] += y.size
    a, b, c = (np.concatenate(part) for part in parts)
    save("-a", a), save("-b", b), save("-sizes", np.array(sizes, np.int32))
    save("", np.concatenate([c, np.zeros(16500 - c.size, np.float16)]))


def ragged():
    """Rows of slices, as the kernels of `ragged.py` copy and add."""
    save = lambda name, x: np.save(HERE / f"ragged-{name}.npy", x.astype(np.float32))
    x = np.arange(128).reshape(16, 8)
    copied, planes = np.zeros((16, 8)), np.zeros((4, 8, 8))
    copied[3:10] = x[3:10] + 1000
    added = copied.copy()
    added[3:10] += x[3:10]
    planes[:, 4:7] = np.arange(256).reshape(4, 8, 8)[:, 4:7] + 1000
    save("copy", copied), save("add", added), save("planes", planes)


def narrow():
    """Bytes and shorts wrap as in NumPy; other values are exact, as C's fmod
    is."""
    save = lambda name, x, t: np.save(HERE / f"narrow-{name}.npy", np.asarray(x).astype(t))
    starts, shorts = np.array([-128, 100, 0, 90]), np.array([-32768, 32700, 0, 32767])
    save("starts", starts, np.int8)
    save("shorts", shorts, np.int16)
    i, j = np.arange(64), np.arange(16)
    row = lambda k: (starts[:, None] + i + 50 * k).astype(np.int8).astype(int)
    save("bytes", 2048 + row(0) * 16 + 3, np.int16)
    first = 32768 + (shorts[:, None] + 2 * i).astype(np.int16).astype(int)
    second = (shorts[:, None] + 513 * i).astype(np.uint16).astype(int)
    save("ints", np.stack([first, second], 1), np.int32)
    places = lambda k: 2048 + row(k)[:, :, None] * 16 + j
    save("products", sum(places(k) % 1024 for k in range(3)), np.float32)
    written = np.zeros((4, 4096))
    for n in range(4):
        on = (i + n) % 3 > 0
        written[n, places(0)[n][on]] = (i[:, None] * 16 + j)[on]
    save("written", written, np.int16)
    random = np.random.default_rng(5)
    bits = random.integers(0, 1 << 63, (2, 1024), np.uint64)
    bits[1] ^= random.integers(0, 2, 1024, np.uint64) << np.uint64(63)
    bits[0, ::2] = bits[1, ::2] % np.uint64(1 << 63) + (random.integers(0, 70, 512, np.uint64) << np.uint64(52))
    x, y = bits.view(np.float64)
    x[np.isnan(x)], y[np.isnan(y)] = 3.0, 0.7
    x[:8], y[:8] = [5e-324, 1e-310, 1e308, 7.0, 2.0**53, 4.5, 1e300, 3e-308], [5e-324, 3e-320, 5e-324, 7.0, 3.0, 1.5, 3e-300, 2.2e-308]
    save("x", x, np.float64)
    save("y", y, np.float64)
    save("rests", [math.fmod(a, b) for a, b in zip(x, y)], np.float64)


def wraps():
    """Blocks of 64 that wrap around after 52, for `wraps.py`."""
    i, x = np.arange(64) % 52, np.arange(208)
    rows = np.random.default_rng(12).permutation(208)[:52]
    summed = sum(x[i + 52 * k] for k in range(3))
    summed[60:] = 3
    written = np.where(np.arange(64) < 52, np.arange(1, 65), 0)
    np.save(HERE / "wraps-rows.npy", rows.astype(np.int32))
    for name, out in ("read", summed), ("found", x[rows[i]]), ("written", written):
        np.save(HERE / f"wraps-{name}.npy", out.astype(np.float32))


def reduced():
    random = np.random.default_rng(11)
    save = lambda name, x: np.save(HERE / f"reduced-{name}.npy", x.astype(np.int32))
    for name, size, axes in ("", 16, (2, 1, 0)), ("wide-", 32, (1, 0, 2)):
        x = random.integers(-99, 100, (size,) * 3).astype(np.int8)
        np.save(HERE / ("reduced-wide.npy" if name else "reduced-x.npy"), x)
        x = x.astype(int).transpose(axes)
        for kind, r in ("sum", x.sum(2)), ("last", x[:, :, -1]), ("most", x.max(2)):
            out = np.zeros((32, 40))
            out[:size, :size] = r
            save(name + kind, out)
    offsets = np.array([0, 32, 33, 33, 64, 96])
    np.save(HERE / "reduced-offsets.npy", offsets.astype(np.int64))
    save("offsets-i32", offsets)
    values = random.integers(-999, 1000, (96, 33))
    save("values", values)
    save("jagged", np.concatenate([values[a:b] - values[a:b].sum(0)
                                   for a, b in zip(offsets, offsets[1:])]))


def trips():
    random = np.random.default_rng(34)
    x, y = (random.integers(-8, 8, shape).astype(np.int8)
            for shape in ((32, 544), (544, 64)))
    np.save(HERE / "trips-x.npy", x)
    np.save(HERE / "trips-y.npy", y)
    out = [x[:, :k].astype(np.int64) @ y[:k] for k in (32, 288, 544)]
    np.save(HERE / "trips.npy", np.stack(out).astype(np.int32))
    np.save(HERE / "trips-all.npy", out[2].astype(np.int32))


if __name__ == "__main__":
    accesses()
    arguments()
    assembly()
    axes()
    bases()
    batches()
    carried()
    causal()
    codes()
    descriptors()
    elements()
    exits()
    halves()
    histograms()
    infinities()
    limits()
    loops()
    merges()
    many_tiles()
    moves()
    nans()
    narrow()
    persistent()
    powers()
    prefixes()
    products()
    releases()
    beyond()
    chains()
    reduced()
    scaled()
    sorts()
    starts()
    grouped()
    ragged()
    trips()
    waits()
    wraps()
