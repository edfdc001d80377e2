"""random_tile_ops.py -- the operations of random kernels, one value at a time.

A value is its name, shape and type; `env` holds the values so far.
"""
import random

from numpy_tl import FLOATS, INTS, NUMPY

LIMIT = 4096  # elements of a tile


def size(shape):
    product = 1
    for d in shape:
        product *= d
    return product


class Operations:
    dot_bits = 4, 7  # of the numbers of rows and columns of products

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.made = [], 0
        self.out = self.scratch = self.counted = 0
        self.inner = 0
        self.dots = self.r.random() < 0.5

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def name(self):
        self.made += 1
        return f"v{self.made}"

    def shape(self, limit=LIMIT):
        r = self.r
        while True:
            rank = r.choice([1, 1, 2, 2, 2, 3, 3, 4])
            shape = tuple(1 << r.choice([0, 1, 2, 3, 4, 5, 5, 6, 7, 8]) for _ in range(rank))
            if size(shape) <= limit:
                return shape

    def spread(self, name, d, rank):
        """An arange as dimension d of a tile of `rank` dimensions."""
        return name if rank == 1 else \
            f"{name}[{', '.join(':' if e == d else 'None' for e in range(rank))}]"

    def address(self, depth, shape, dense):
        """The offsets of a tile, and each dimension's index."""
        r, rank = self.r, len(shape)
        order = list(range(rank))
        if r.random() < 0.5:
            r.shuffle(order)
        strides, next_stride = [0] * rank, 1
        for d in reversed(order):
            strides[d] = next_stride
            next_stride *= shape[d]
        if not dense and r.random() < 0.4:
            strides = [r.choice([0, 1, 1, 2, 3, 8, 16, 17, 64]) for _ in shape]
        parts = []
        indices = []
        for d, extent in enumerate(shape):
            index = self.name()
            self.line(depth, f"{index} = {self.spread(f'tl.arange(0, {extent})', d, rank)}")
            indices.append((index, extent))
            stride = str(strides[d])
            if strides[d] == 64 and r.random() < 0.5:
                stride = "s64"
            parts.append(f"{index} * {stride}" if stride != "1" else index)
        return " + ".join(parts), indices, 1 + sum(s * (e - 1) for s, e in zip(strides, shape))

    def mask(self, indices, env):
        r = self.r
        index, extent = r.choice(indices)
        kind = r.random()
        if kind < 0.6:
            return f"({index} {r.choice(['<', '>=', '<='])} {r.randrange(0, extent + 1)})"
        return f"({index} < n * {r.choice([1, 3, 16])})"

    def load(self, depth, env, shape=None, dtype=None, counter=None):
        r = self.r
        shape = shape or self.shape()
        dtype = dtype or r.choice(["int32", "int32", "int32", "int16", "int8", "float16", "float32"])
        text, indices, extent = self.address(depth, shape, False)
        offset = r.choice([0, 0, 16, 64, 1, 3, r.randrange(0, 200)])
        if extent + offset + 4 * 1000 > 32768:
            text, indices, extent = self.address(depth, shape, True)
        at = f"{dtype}s + ({text})"
        if offset:
            at += f" + {offset}"
        if counter:
            at += f" + {counter} * {r.choice([0, 16, 64, 128, 1, 1000])}"
        if r.random() < 0.2:
            at += " + tl.program_id(0) * 16"
        how = ""
        if r.random() < 0.4:
            # The full shape, since a mask may be narrower than the pointer.
            how = f", mask={self.mask(indices, env)}"
            if r.random() < 0.6:
                how += f", other={r.randrange(0, 6)}"
        return self.let(depth, env, f"tl.load({at}{how})", shape, dtype)

    def block(self, depth, env, counter, shape=None, dtype=None):
        r = self.r
        shape = shape or (1 << r.randrange(0, 7), 1 << r.randrange(3, 7))
        dtype = dtype or r.choice(["int32", "int16", "int8", "float16", "float32"])
        strides, order = ("64", "1"), "(1, 0)"
        if r.random() < 0.4:
            strides, order = ("1", "64"), "(0, 1)"
        rows, columns = r.randrange(1, 90), r.randrange(1, 90)
        at = f"({r.choice([0, 16, -5, 3])} + {counter or 0} * {r.choice([0, 8, 16])}, {r.choice([0, 8, -3])})"
        p = self.name()
        base = f"{dtype}s + 4096"
        self.line(depth, f"{p} = tl.make_block_ptr({base}, ({rows}, {columns}), "
                         f"({strides[0]}, {strides[1]}), {at}, ({shape[0]}, {shape[1]}), {order})")
        if r.random() < 0.3:
            self.line(depth, f"{p} = tl.advance({p}, ({r.choice([0, 8])}, {r.choice([0, 16])}))")
        return self.let(depth, env, f"tl.load({p}, boundary_check=(0, 1))", shape, dtype)

    def let(self, depth, env, text, shape, dtype):
        name = self.name()
        self.line(depth, f"{name} = {text}")
        if size(shape) <= LIMIT:
            env.append((name, tuple(shape), dtype))
        return name, tuple(shape), dtype

    def pick(self, env, want=lambda s, t: True):
        fit = [v for v in env[-12:] + env if want(v[1], v[2])]
        return self.r.choice(fit) if fit else None

    def ints(self, v, to=None):
        """The value as integers."""
        name, shape, dtype = v
        to = to or (dtype if dtype in INTS else "int32")
        return (name if dtype == to else f"{name}.to(tl.{to})"), shape, to

    def small(self, v, bits=3):
        """The value as integers of few bits, from any type."""
        name, shape, dtype = v
        if dtype in INTS:
            return f"({name} & {(1 << bits) - 1})"
        return f"({name}.to(tl.int32) & {(1 << bits) - 1})"

    def like(self, depth, env, shape, dtype=None):
        """A value of this shape: one that is there, broadcast, or loaded."""
        v = self.pick(env, lambda s, t: s == shape)
        if v and self.r.random() < 0.8:
            return v
        v = self.pick(env, lambda s, t: len(s) == len(shape) and s != shape and
                      all(a in (1, b) for a, b in zip(s, shape)))
        if v and self.r.random() < 0.8:
            return self.let(depth, env, f"tl.broadcast_to({v[0]}, {', '.join(map(str, shape))})",
                            shape, v[2])
        return self.load(depth, env, shape)

    # Each function makes one more value; None if no value fits.

    def elementwise(self, depth, env, v):
        r = self.r
        w = self.like(depth, env, v[1])
        dtype = r.choice(INTS)
        a, b = self.ints(v, dtype)[0], self.ints(w, dtype)[0]
        kind = r.randrange(10)
        if kind < 4:
            text = f"{a} {r.choice('+-*&|^')} {b}"
        elif kind < 5:
            text = f"tl.{r.choice(['minimum', 'maximum'])}({a}, {b})"
        elif kind < 6:
            text = f"tl.where({a} {r.choice(['<', '==', '>='])} {b}, {b}, {a})"
        elif kind < 7:
            text = f"({a} {r.choice(['>>', '<<'])} {r.randrange(0, 8)})"
        elif kind < 8:
            text = f"(({a} & 63) {r.choice(['//', '%'])} (({b} & 7) + 1))"
        elif kind < 9:
            text = f"(-{a})" if dtype[0] == "i" else f"(~{a})"
        else:
            text, dtype = f"({a} {r.choice(['<', '!=', '>='])} {b}).to(tl.int8)", "int8"
        return self.let(depth, env, f"({text})" if dtype == "int8" else f"({text}).to(tl.{dtype})", v[1], dtype)

    def floating(self, depth, env, v):
        r = self.r
        dtype = r.choice(FLOATS)
        a = f"{self.small(v)}.to(tl.{dtype})"
        b = f"{self.small(self.like(depth, env, v[1]))}.to(tl.{dtype})"
        op = r.choice(["{} + {}", "{} * {}", "tl.maximum({}, {})"])
        return self.let(depth, env, op.format(a, b), v[1], dtype)

    def shuffled(self, depth, env, v):
        r, shape = self.r, list(v[1])
        kind = r.randrange(4)
        if kind == 0 and len(shape) > 1:
            order = list(range(len(shape)))
            r.shuffle(order)
            return self.let(depth, env, f"{v[0]}.permute({', '.join(map(str, order))})",
                            [shape[d] for d in order], v[2])
        if kind == 1 and len(shape) > 1:
            return self.let(depth, env, f"tl.trans({v[0]})" if len(shape) == 2 else
                            f"{v[0]}.permute({', '.join(map(str, range(len(shape) - 2)))}, "
                            f"{len(shape) - 1}, {len(shape) - 2})",
                            shape[:-2] + [shape[-1], shape[-2]], v[2])
        if kind == 2 and len(shape) < 4:
            d = r.randrange(0, len(shape) + 1)
            return self.let(depth, env, f"tl.expand_dims({v[0]}, {d})",
                            shape[:d] + [1] + shape[d:], v[2])
        left, to = size(shape), []
        while left > 1 and len(to) < 3:
            part = 1 << r.randrange(0, left.bit_length())
            to.append(part)
            left //= part
        to.append(left)
        r.shuffle(to)
        return self.let(depth, env, f"{v[0]}.reshape({', '.join(map(str, to))})", to, v[2])

    def reduced(self, depth, env, v):
        r, shape = self.r, list(v[1])
        axis = r.randrange(len(shape))
        keep = len(shape) == 1 or r.random() < 0.3
        left = shape[:axis] + ([1] if keep else []) + shape[axis + 1:]
        kept = ", keep_dims=True" if keep else ""
        kind = r.randrange(6)
        if kind < 3:
            name, _, dtype = self.ints(v)
            what = r.choice(["sum", "max", "min", "xor_sum"])
            return self.let(depth, env, f"tl.{what}({name}, {axis}{kept}).to(tl.{dtype})", left, dtype)
        if kind == 3 and not keep:
            text = f"tl.{r.choice(['argmax', 'argmin'])}({v[0]}, {axis})"
            return self.let(depth, env, text, left, "int32")
        a, b = self.ints(v, "int32")[0], self.ints(self.like(depth, env, v[1]), r.choice(["int32", "int64"]))
        if kind == 4:
            if r.random() < 0.5:
                return self.let(depth, env, f"tl.reduce({a}, {axis}, larger{kept})", left, "int32")
            first, second = self.name(), self.name()
            self.line(depth, f"{first}, {second} = tl.reduce(({a}, {b[0]}), {axis}, total{kept})")
            env.append((first, tuple(left), "int32"))
            env.append((second, tuple(left), b[2]))
            return env[-1]
        what = r.choice(["sum", "max", "min"])
        dtype = r.choice(FLOATS)
        text = f"tl.{what}({self.small(v, 2)}.to(tl.{dtype}), {axis}{kept})"
        if dtype != "float32":
            if what == "sum":
                return None
            return self.let(depth, env, f"{text}.to(tl.int32)", left, "int32")
        return self.let(depth, env, f"{text}.to(tl.int32)", left, "int32")

    def scanned(self, depth, env, v):
        r, shape = self.r, v[1]
        axis = r.randrange(len(shape))
        back = ", reverse=True" if r.random() < 0.3 else ""
        dtype = r.choice(["int32", "int64", "uint32"])
        a = self.ints(v, dtype)[0]
        kind = r.randrange(4)
        if kind < 2:
            return self.let(depth, env, f"tl.{r.choice(['cumsum', 'cumsum', 'cumprod'])}({a}, {axis}{back})", shape, dtype)
        if kind == 2:
            small = r.choice(["int8", "int16", "int32"])
            return self.let(depth, env, f"tl.associative_scan({self.ints(v, small)[0]}, {axis}, "
                            f"{r.choice(['larger', 'mixed'])}{back})", shape, small)
        b = self.ints(self.like(depth, env, shape), dtype)[0]
        first, second = self.name(), self.name()
        self.line(depth, f"{first}, {second} = tl.associative_scan(({a}, {b}), {axis}, line{back})")
        env.append((first, shape, dtype))
        env.append((second, shape, dtype))
        return env[-1]

    def gathered(self, depth, env, v):
        r, shape = self.r, list(v[1])
        axis = r.randrange(len(shape))
        to = list(shape)
        to[axis] = 1 << r.randrange(0, 7)
        if size(to) > LIMIT:
            return None
        w = self.like(depth, env, tuple(to))
        index = f"({self.ints(w, 'int32')[0]} & {shape[axis] - 1})"
        return self.let(depth, env, f"{v[0]}.gather({index}, {axis})", to, v[2])

    def joined(self, depth, env, v):
        r, shape = self.r, v[1]
        kind = r.randrange(3)
        if kind == 2:
            if size(shape) < 2:
                return None
            a, b = self.name(), self.name()
            to = (size(shape) // 2,)
            if len(shape) > 1 and shape[-1] > 1:
                to = shape[:-1] + (shape[-1] // 2,)
            self.line(depth, f"{a}, {b} = {v[0]}.reshape({', '.join(map(str, to))}, 2).split()")
            env.append((a, to, v[2]))
            env.append((b, to, v[2]))
            return env[-1]
        if size(shape) * 2 > LIMIT:
            return None
        w = self.like(depth, env, shape)
        a, b = self.ints(v, "int32")[0], self.ints(w, "int32")[0]
        if kind == 1:
            return self.let(depth, env, f"tl.interleave({a}, {b})", shape[:-1] + (shape[-1] * 2,), "int32")
        if len(shape) > 3:
            return None
        return self.let(depth, env, f"tl.join({a}, {b})", shape + (2,), "int32")

    def sorted(self, depth, env, v):
        r, shape = self.r, v[1]
        if shape[-1] > 128:
            return None
        name, _, dtype = self.ints(v, r.choice(["int8", "int16", "int32", "uint8", "int64"]))
        kind = r.randrange(4)
        if kind == 0:
            axis = r.randrange(len(shape))
            return self.let(depth, env, f"tl.flip({v[0]}, {axis})", shape, v[2])
        if kind == 1 and shape[-1] > 1:
            k = 1 << r.randrange(0, shape[-1].bit_length())
            return self.let(depth, env, f"tl.topk({name}.to(tl.int32), {k})", shape[:-1] + (k,), "int32")
        down = ", descending=True" if r.random() < 0.4 else ""
        return self.let(depth, env, f"tl.sort({name}{down})", shape, dtype)

    def counted_in(self, depth, env, v):
        bins = 1 << self.r.randrange(1, 8)
        return self.let(depth, env, f"tl.histogram({self.ints(v, 'int32')[0]}"
                        f".reshape({size(v[1])}) & {bins - 1}, {bins})", (bins,), "int32")

    def operand(self, depth, env, shape, dtype, counter):
        """An operand of a dot: loaded as it is, or computed."""
        r = self.r
        if dtype in ("float16", "int8", "float32") and r.random() < 0.6:
            name, shape, _ = self.load(depth, env, shape, dtype, counter)
            return name
        if r.random() < 0.3:
            back = shape[:-2] + (shape[-1], shape[-2])
            source = dtype if dtype in ("float16", "int8", "float32") else "int16"
            name = self.load(depth, env, back, source, counter)[0]
            name = f"tl.trans({name})" if len(shape) == 2 else f"{name}.permute(0, 2, 1)"
            return name if source == dtype else f"({name} & 7).to(tl.{dtype})"
        v = self.like(depth, env, shape)
        return f"{self.small(v)}.to(tl.{dtype})"

    def dot(self, depth, env, v=None, counter=None, acc=None):
        r = self.r
        if not self.dots:
            return None
        if acc:
            m, n = acc[1][-2:]
            batch = acc[1][:-2]
        else:
            m, n = (1 << r.randrange(*self.dot_bits) for _ in range(2))
            batch = (2,) if r.random() < 0.1 else ()
        k = 1 << r.randrange(4, 7)
        whole = acc[2] == "int32" if acc else r.random() < 0.2
        kinds = ["float16", "float16", "bfloat16", "float32", "float8e5"]
        if self.fp8:
            kinds.append("float8e4nv")
        dtype = "int8" if whole else r.choice(kinds)
        if NUMPY[dtype].itemsize == 1 or dtype[:6] == "float8":
            k = max(k, 32)
        a = self.operand(depth, env, batch + (m, k), dtype, counter)
        b = self.operand(depth, env, batch + (k, n), dtype, counter)
        how = ', input_precision="ieee"' if dtype == "float32" and r.random() < 0.5 else ""
        result = "int32" if whole else "float32"
        if acc:
            self.line(depth, f"{acc[0]} = tl.dot({a}, {b}, {acc[0]}{how}, out_dtype=tl.{result})")
            return acc
        return self.let(depth, env, f"tl.dot({a}, {b}{how}, out_dtype=tl.{result})"
                        f".to(tl.int32)", batch + (m, n), "int32")

    def kept(self, depth, env, v):
        """Store a value to global memory and load it back in another order."""
        r = self.r
        if self.inner:
            return None
        base, self.scratch = self.scratch, self.scratch + size(v[1])
        text, _, _ = self.address(depth, v[1], True)
        self.line(depth, f"tl.store(scratch + {base} + ({text}), {self.ints(v, 'int32')[0]})")
        self.line(depth, "tl.debug_barrier()")
        shape = self.shape(size(v[1]))
        while size(shape) != size(v[1]):
            shape = self.shape(size(v[1]))
        text, _, _ = self.address(depth, shape, True)
        return self.let(depth, env, f"tl.load(scratch + {base} + ({text}))", shape, "int32")

    def atomic(self, depth, env, v):
        r = self.r
        at, self.counted = self.counted, self.counted + 64
        name = self.ints(v, "int32")[0]
        w = self.ints(self.like(depth, env, v[1]), "int32")[0]
        mask = f", mask={w} > {r.randrange(-3, 9)}" if r.random() < 0.4 else ""
        op = r.choice(["add", "max", "xor"])
        self.line(depth, f"tl.atomic_{op}(counts + {at} + ({w} & {r.choice([0, 3, 63])}), {name}{mask})")
        return v
