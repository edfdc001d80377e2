"""numpy_tl.py -- stands in for `tl` where Python runs a kernel over NumPy.

Types must agree, as no promotion is wanted here; integers wrap.  bfloat16 and
the 8-bit floats are kept as wider types, which is exact for the integers in them.
"""
import numpy as np

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"]
NUMPY = {name: np.dtype(name) for name in INTS}
NUMPY.update(int1=np.dtype(bool), float32=np.dtype("float32"),
             float16=np.dtype("float16"), bfloat16=np.dtype("float32"),
             float8e5=np.dtype("float16"), float8e4nv=np.dtype("float16"))
FLOATS = ["float32", "float16", "bfloat16"]


class Tile:
    """A value: an array and the name of its type."""

    def __init__(self, array, dtype):
        self.a = np.asarray(array).astype(NUMPY[dtype])
        self.dtype = dtype

    def to(self, dtype, bitcast=False):
        if bitcast:
            return Tile(self.a.view(NUMPY[dtype]), dtype)
        return Tile(self.a, dtype)

    def binary(self, other, function):
        if not isinstance(other, Tile):
            other = Tile(other, self.dtype)
        assert self.dtype == other.dtype, (self.dtype, other.dtype)
        return Tile(function(self.a, other.a), self.dtype)

    def compare(self, other, function):
        if isinstance(other, Tile):
            assert self.dtype == other.dtype
            other = other.a
        return Tile(function(self.a, other), "int1")

    def __add__(self, o):
        return o + self if isinstance(o, Pointer) else self.binary(o, np.add)

    __radd__ = __add__

    def __sub__(self, o): return self.binary(o, np.subtract)
    def __mul__(self, o): return self.binary(o, np.multiply)
    def __rmul__(self, o): return self * o
    def __and__(self, o): return self.binary(o, np.bitwise_and)
    def __or__(self, o): return self.binary(o, np.bitwise_or)
    def __xor__(self, o): return self.binary(o, np.bitwise_xor)
    def __rshift__(self, o): return self.binary(o, np.right_shift)
    def __lshift__(self, o): return self.binary(o, np.left_shift)
    def __floordiv__(self, o): return self.binary(o, np.floor_divide)
    def __mod__(self, o): return self.binary(o, np.remainder)
    def __neg__(self): return Tile(0 - self.a, self.dtype)
    def __invert__(self): return Tile(~self.a, self.dtype)
    def __lt__(self, o): return self.compare(o, np.less)
    def __le__(self, o): return self.compare(o, np.less_equal)
    def __gt__(self, o): return self.compare(o, np.greater)
    def __ge__(self, o): return self.compare(o, np.greater_equal)
    def __eq__(self, o): return self.compare(o, np.equal)
    def __ne__(self, o): return self.compare(o, np.not_equal)
    def __bool__(self): return bool(self.a)
    def __index__(self): return int(self.a)
    def __getitem__(self, key): return Tile(self.a[key], self.dtype)
    def reshape(self, *s): return Tile(self.a.reshape(s), self.dtype)
    def permute(self, *s): return Tile(self.a.transpose(s), self.dtype)
    def split(self):
        return (Tile(self.a[..., 0], self.dtype), Tile(self.a[..., 1], self.dtype))
    def gather(self, index, axis):
        return Tile(np.take_along_axis(self.a, index.a, axis), self.dtype)


class Pointer:
    def __init__(self, array, dtype, at=0):
        self.array, self.dtype, self.at = array, dtype, np.asarray(at)

    def __add__(self, o):
        o = o.a if isinstance(o, Tile) else o
        return Pointer(self.array, self.dtype, self.at + np.asarray(o).astype(np.int64))


class Block:
    def __init__(self, base, shape, strides, offsets, block, order):
        self.base, self.shape, self.strides = base, shape, strides
        self.offsets, self.block = [int(o) for o in offsets], block

    def positions(self, check):
        at, inside = 0, True
        for d, size in enumerate(self.block):
            along = self.offsets[d] + np.arange(size)
            along = along.reshape([-1 if e == d else 1 for e in range(len(self.block))])
            at = at + along * int(self.strides[d])
            if d in check:
                inside = inside & (along >= 0) & (along < int(self.shape[d]))
        at = np.broadcast_to(at, self.block)
        return at, np.broadcast_to(inside, self.block)


class TL:
    constexpr = None

    def __getattr__(self, name):
        if name in NUMPY:
            return name
        raise AttributeError(name)

    @staticmethod
    def arange(start, end): return Tile(np.arange(start, end), "int32")
    @staticmethod
    def zeros(shape, dtype): return Tile(np.zeros(shape), dtype)
    @staticmethod
    def full(shape, value, dtype): return Tile(np.full(shape, value), dtype)
    @staticmethod
    def where(c, a, b): return Tile(np.where(c.a, a.a, b.a), a.dtype)
    @staticmethod
    def minimum(a, b): return a.binary(b, np.minimum)
    @staticmethod
    def maximum(a, b): return a.binary(b, np.maximum)
    @staticmethod
    def abs(a): return Tile(np.abs(a.a), a.dtype)
    @staticmethod
    def expand_dims(a, d): return Tile(np.expand_dims(a.a, d), a.dtype)
    @staticmethod
    def broadcast_to(a, *s): return Tile(np.broadcast_to(a.a, s), a.dtype)
    @staticmethod
    def trans(a): return Tile(np.swapaxes(a.a, -1, -2), a.dtype)
    @staticmethod
    def join(a, b): return Tile(np.stack([a.a, b.a], -1), a.dtype)
    @staticmethod
    def interleave(a, b):
        both = np.stack([a.a, b.a], -1)
        return Tile(both.reshape(*a.a.shape[:-1], 2 * a.a.shape[-1]), a.dtype)
    @staticmethod
    def sort(a, descending=False):
        s = np.sort(a.a, -1)
        return Tile(s[..., ::-1] if descending else s, a.dtype)
    @staticmethod
    def topk(a, k): return Tile(np.sort(a.a, -1)[..., ::-1][..., :k], a.dtype)
    @staticmethod
    def flip(a, d): return Tile(np.flip(a.a, d), a.dtype)
    @staticmethod
    def histogram(a, bins): return Tile(np.bincount(a.a, minlength=bins), "int32")
    @staticmethod
    def static_range(n): return range(n)
    @staticmethod
    def range(*b, **_): return range(*[int(x) for x in b])
    @staticmethod
    def debug_barrier(): pass
    @staticmethod
    def program_id(axis): return Tile(TL.program if axis == 0 else 0, "int32")

    # Sums of elements below 32 bits have 32 bits.
    @staticmethod
    def sum(a, axis=None, keep_dims=False):
        wide = a.dtype
        if NUMPY[wide].itemsize < 4 and wide in INTS:
            wide = "uint32" if wide[0] == "u" else "int32"
        return Tile(np.sum(a.a.astype(NUMPY[wide]), axis, keepdims=keep_dims,
                           dtype=NUMPY[wide]), wide)
    @staticmethod
    def max(a, axis=None, keep_dims=False):
        return Tile(np.max(a.a, axis, keepdims=keep_dims), a.dtype)
    @staticmethod
    def min(a, axis=None, keep_dims=False):
        return Tile(np.min(a.a, axis, keepdims=keep_dims), a.dtype)
    @staticmethod
    def argmax(a, axis): return Tile(np.argmax(a.a, axis), "int32")
    @staticmethod
    def argmin(a, axis): return Tile(np.argmin(a.a, axis), "int32")
    @staticmethod
    def xor_sum(a, axis=None, keep_dims=False):
        return Tile(np.bitwise_xor.reduce(a.a, axis, keepdims=keep_dims), a.dtype)
    @staticmethod
    def cumsum(a, axis, reverse=False):
        v = np.flip(a.a, axis) if reverse else a.a
        v = np.cumsum(v, axis, dtype=a.a.dtype)
        return Tile(np.flip(v, axis) if reverse else v, a.dtype)
    @staticmethod
    def cumprod(a, axis, reverse=False):
        v = np.flip(a.a, axis) if reverse else a.a
        v = np.cumprod(v, axis, dtype=a.a.dtype)
        return Tile(np.flip(v, axis) if reverse else v, a.dtype)
    @staticmethod
    def associative_scan(tiles, axis, combine, reverse=False):
        one = isinstance(tiles, Tile)
        tiles = (tiles,) if one else tiles
        count = tiles[0].a.shape[axis]
        order = range(count)[::-1] if reverse else range(count)
        out = [np.empty_like(t.a) for t in tiles]
        state = None
        for i in order:
            here = tuple(Tile(np.take(t.a, i, axis), t.dtype) for t in tiles)
            if state is None:
                state = here
            else:
                state = combine(*state, *here)
                state = (state,) if one else state
            for o, s in zip(out, state):
                o[(slice(None),) * axis + (i,)] = s.a
        out = tuple(Tile(o, t.dtype) for o, t in zip(out, tiles))
        return out[0] if one else out
    @staticmethod
    def reduce(tiles, axis, combine, keep_dims=False):
        scanned = TL.associative_scan(tiles, axis, combine)
        one = isinstance(scanned, Tile)
        out = tuple(Tile(np.take(t.a, -1, axis), t.dtype)
                    for t in ((scanned,) if one else scanned))
        if keep_dims:
            out = tuple(Tile(np.expand_dims(t.a, axis), t.dtype) for t in out)
        return out[0] if one else out

    @staticmethod
    def dot(a, b, acc=None, input_precision=None, out_dtype=None):
        exact = np.matmul(a.a.astype(np.float64), b.a.astype(np.float64))
        dtype = "int32" if a.dtype in INTS else "float32"
        exact = exact + acc.a if acc is not None else exact
        return Tile(exact.astype(np.int64) if dtype == "int32" else exact, dtype)

    @staticmethod
    def masked(p, mask):
        return np.broadcast_to(True if mask is None else mask.a, p.at.shape)
    @staticmethod
    def load(p, mask=None, other=0, boundary_check=()):
        if isinstance(p, Block):
            at, on = p.positions(boundary_check)
            p = p.base + at
        else:
            on = TL.masked(p, mask)
        got = p.array[np.where(on, p.at, 0)]
        return Tile(np.where(on, got, other.a if isinstance(other, Tile) else other), p.dtype)
    @staticmethod
    def store(p, value, mask=None, boundary_check=()):
        if isinstance(p, Block):
            at, on = p.positions(boundary_check)
            p = p.base + at
        else:
            on = TL.masked(p, mask)
        value = np.broadcast_to(value.a, p.at.shape)
        p.array[p.at[on]] = value[on]
    @staticmethod
    def make_block_ptr(base, shape, strides, offsets, block_shape, order):
        return Block(base, shape, strides, offsets, block_shape, order)
    @staticmethod
    def advance(b, offsets):
        return Block(b.base, b.shape, b.strides,
                     [int(x) + int(y) for x, y in zip(b.offsets, offsets)], b.block, None)
    @staticmethod
    def atomic(p, value, mask, function):
        on = TL.masked(p, mask)
        old = p.array[p.at]
        function.at(p.array, p.at[on], np.broadcast_to(value.a, p.at.shape)[on])
        return Tile(np.where(on, old, 0), p.dtype)
    @staticmethod
    def atomic_add(p, v, mask=None, sem=None): return TL.atomic(p, v, mask, np.add)
    @staticmethod
    def atomic_max(p, v, mask=None, sem=None): return TL.atomic(p, v, mask, np.maximum)
    @staticmethod
    def atomic_xor(p, v, mask=None, sem=None): return TL.atomic(p, v, mask, np.bitwise_xor)
