"""hopper_products.py -- makes random products of wgmma, and their results by the manual.

Matrices in shared memory are laid out here, byte by byte, as the manual's figures of
descriptors have it; a kernel copies the whole picture there by plain stores.
"""
import numpy as np

ROWS, WARPS, LANES = 64, 4, 32
# By type: the bits of an element, its decoder, and the numbers that all types can
# hold.
FORMATS = {"f16": (16, 4), "bf16": (16, 4), "tf32": (32, 4), "e4m3": (8, 4), "e5m2": (8, 4),
           "s8": (8, 128), "u8": (8, 255)}
SWIZZLES = {0: 0, 128: 1, 64: 2, 32: 3}  # bytes, and the descriptor's field
GROUPS = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"),
          ("f32", "tf32", "tf32"), ("s32", "s8", "s8"), ("s32", "s8", "u8"),
          ("s32", "u8", "s8"), ("s32", "u8", "u8")] + [
              (d, a, b) for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]


def small_float(value, exponent_bits, mantissa_bits, bias):
    """The bits of a small integer, which the format holds exactly."""
    sign, value = (1, -value) if value < 0 else (0, value)
    if not value:
        return 0
    exponent = value.bit_length() - 1
    mantissa = (value << mantissa_bits >> exponent) - (1 << mantissa_bits)
    return (sign << exponent_bits | exponent + bias) << mantissa_bits | mantissa


def encode(kind, values):
    """The elements as arrays of bytes, one row for each element."""
    bits = FORMATS[kind][0]
    if kind in ("s8", "u8"):
        words = values.astype(np.int64) & 0xff
    elif kind == "f16":
        words = values.astype(np.float16).view(np.uint16)
    elif kind in ("bf16", "tf32"):
        words = values.astype(np.float32).view(np.uint32) >> (16 if kind == "bf16" else 0)
    else:
        shape = (4, 3, 7) if kind == "e4m3" else (5, 2, 15)
        words = np.vectorize(lambda v: small_float(int(v), *shape))(values)
    words = words.astype(np.uint32)
    return np.stack([words >> 8 * i & 0xff for i in range(bits // 8)], -1).astype(np.uint8)


def draw(rng, kind, shape):
    low = 0 if kind == "u8" else -FORMATS[kind][1]
    high = 255 if kind == "u8" else FORMATS[kind][1] - (kind == "s8")
    return rng.integers(low, high + 1, shape)


class Layout:
    """The place in memory of an operand of `lines` (of m or n) by `deep` (of k) elements."""

    def __init__(self, r, kind, lines, deep, start):
        self.bytes = FORMATS[kind][0] // 8
        self.lines, self.deep, self.start = lines, deep, start
        widths = [w for w in SWIZZLES if w <= deep * self.bytes]
        self.across = self.bytes == 2 and r.random() < 0.5  # lines lie side by side
        if self.across:
            widths = [w for w in SWIZZLES if lines * 2 % max(w, 16) == 0]
        self.width = r.choice(widths)
        atoms = self.width // 16 or 1  # 16 bytes, side by side
        gap = r.choice([0, 0, 128]) if not self.width else 0
        one = 128 * atoms + gap  # eight rows of atoms
        if self.across:
            over, down = lines * 2 // (16 * atoms), deep // 8
        else:
            over, down = deep * self.bytes // (16 * atoms), lines // 8
        # Either of the two strides may be the smaller one.
        if r.random() < 0.5:
            self.over, self.down, self.size = one, one * over, one * over * down
        else:
            self.over, self.down, self.size = one * down, one, one * over * down
        self.atoms = atoms

    def place(self, line, k):
        """The element's first byte."""
        row, column = (k, line) if self.across else (line, k)
        column *= self.bytes
        atom, byte = column // 16, column % 16
        at = self.start + atom // self.atoms * self.over + row // 8 * self.down
        at += row % 8 * 16 * self.atoms + atom % self.atoms * 16 + byte
        if self.width:
            at ^= (at >> 7 & self.atoms - 1) << 4
        return at

    def put(self, picture, kind, values):
        data = encode(kind, values)
        for line in range(self.lines):
            for k in range(self.deep):
                at = self.place(line, k)
                picture[at:at + self.bytes] = data[line, k]

    def descriptor(self, k):
        """The descriptor of 32 bytes of each line, from element k on, with an
        address relative to shared memory."""
        if self.across:
            start = self.start + k // 8 * self.down
        else:
            atom = k * self.bytes // 16
            start = self.start + atom // self.atoms * self.over + atom % self.atoms * 16
        leading, stride = self.over, self.down
        if self.across and not self.width:
            leading, stride = stride, leading
        return (start >> 4) | leading >> 4 << 16 | stride >> 4 << 32 | SWIZZLES[self.width] << 62


def held_registers(kind, values):
    """Operand A in registers: 4 words for each thread."""
    data = encode(kind, values)
    size = data.shape[-1]
    each = 4 // size  # elements of a word
    words = np.zeros((WARPS * LANES, 4), np.uint32)
    for thread in range(WARPS * LANES):
        for i in range(4):
            row = thread // 32 * 16 + thread % 32 // 4 + i % 2 * 8
            column = (thread % 4 + i // 2 * 4) * each
            words[thread, i] = data[row, column:column + each].reshape(-1).view(np.uint32)[0]
    return words


def sums(columns):
    """The row and column of each result of a thread, in the order of its registers."""
    for thread in range(WARPS * LANES):
        for i in range(columns // 8 * 4):
            row = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8
            yield thread, i, row, i // 4 * 8 + thread % 4 * 2 + i % 2


def shape_of(r, d):
    if d == "s32":
        return r.choice([8, 24, *range(16, 257, 16)])
    return 8 * r.randrange(1, 33)


def wrap(values, saturates):
    if saturates:
        return np.clip(values, -2**31, 2**31 - 1).astype(np.int64)
    return (values + 2**31) % 2**32 - 2**31


def kernel(columns, d, steps, shared):
    """`steps` are the instructions; results are stored as words."""
    count = columns // (4 if d == "f16" else 2)
    kind = {"f32": "f32", "s32": "b32", "f16": "b32"}[d]
    out = [".version 8.5", ".target sm_90a", ".address_size 64",
           ".extern .shared .align 1024 .b8 s[];",
           ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2) {",
           f".reg .{kind} %d<{count}>; .reg .b32 %a<4>, %r<9>; .reg .b64 %x<9>; .reg .pred %p<3>;",
           "ld.param.u64 %x0, [p0]; ld.param.u64 %x1, [p1]; ld.param.u64 %x2, [p2];",
           "mov.u32 %r0, %tid.x; mul.wide.u32 %x3, %r0, 16; add.u64 %x1, %x1, %x3;",
           "ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x1];",
           f"mul.wide.u32 %x3, %r0, {4 * count}; add.u64 %x2, %x2, %x3;"]
    out += [f"ld.global.{kind} %d{i}, [%x2+{4 * i}];" for i in range(count)]
    out += ["mov.u32 %r1, s; shl.b32 %r2, %r0, 4; cvt.u64.u32 %x3, %r2; add.u64 %x0, %x0, %x3;",
            "add.u32 %r3, %r1, %r2;",
            f"L: setp.ge.u32 %p1, %r2, {shared}; @%p1 bra M;",
            "ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%x0];",
            "st.shared.v4.b32 [%r3], {%r5, %r6, %r7, %r8};",
            "add.u32 %r2, %r2, 2048; add.u32 %r3, %r3, 2048; add.u64 %x0, %x0, 2048; bra L;",
            "M: fence.proxy.async; bar.sync 0; shr.u32 %r4, %r1, 4; cvt.u64.u32 %x4, %r4;",
            "wgmma.fence.sync.aligned;"]
    out += steps
    out += ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    out += [f"st.global.{kind} [%x2+{4 * i}], %d{i};" for i in range(count)]
    return "\n".join(out + ["ret;", "}", ""])


def products(r, rng):
    d, a, b = r.choice(GROUPS)
    columns = shape_of(r, d)
    per = 32 * 8 // FORMATS[a][0]  # elements of k in an instruction
    deep = per * r.choice([1, 2, 4])
    held = r.random() < 0.3
    if held:  # one instruction's
        deep = per
    left, right = draw(rng, a, (ROWS, deep)), draw(rng, b, (columns, deep))
    lay_a = Layout(r, a, ROWS, deep, 0)
    start = 0 if held else -(-lay_a.size // 1024) * 1024
    lay_b = Layout(r, b, columns, deep, start)
    shared = -(-(start + lay_b.size) // 1024) * 1024
    picture = rng.integers(0, 256, shared).astype(np.uint8)
    if not held:
        lay_a.put(picture, a, left)
    lay_b.put(picture, b, right)
    limit = 2**31 if d == "s32" and r.random() < 0.3 else 16
    before = rng.integers(-limit, limit, (ROWS, columns))
    is_float = d != "s32"
    saturates = d == "s32" and r.random() < 0.3
    result, steps = before.astype(np.int64), []
    order = list(range(0, deep, per))
    r.shuffle(order)
    count = columns // (4 if d == "f16" else 2)
    registers = ", ".join(f"%d{i}" for i in range(count))
    for k in order:
        adds = r.random() < 0.8
        signs = [r.choice([1, 1, -1]) for _ in range(2)] if is_float else [1, 1]
        product = left[:, k:k + per].astype(np.int64) @ right[:, k:k + per].T
        product *= signs[0] * signs[1]
        result = product + (result if adds else 0)
        if not is_float:
            result = wrap(result, saturates)
        operand = "{%a0, %a1, %a2, %a3}" if held else "%x5"
        tail = f", {signs[0]}, {signs[1]}" if is_float else ""
        if FORMATS[a][0] == 16:
            tail += "" if held else f", {int(lay_a.across)}"
            tail += f", {int(lay_b.across)}"
        steps += [f"add.u64 %x5, %x4, 0x{lay_a.descriptor(k):x};",
                  f"add.u64 %x6, %x4, 0x{lay_b.descriptor(k):x};",
                  f"setp.ne.u32 %p2, {int(adds)}, 0;",
                  f"wgmma.mma_async.sync.aligned.m64n{columns}k{per}.{d}.{a}.{b}"
                  f"{'.satfinite' if saturates else ''} {{{registers}}}, {operand}, %x6, "
                  f"%p2{tail};"]
    text = kernel(columns, d, steps, shared)
    what = (f"m64n{columns}k{deep} {d} {a} {b} {'held' if held else lay_a.__dict__} "
            f"{lay_b.__dict__}")

    def run(driver):
        words = np.zeros((WARPS * LANES, 4), np.uint32)
        if held:
            words = held_registers(a, left)
        if d == "f16":
            out = np.zeros((WARPS * LANES, columns // 2), np.float16)
        else:
            out = np.zeros((WARPS * LANES, columns // 2), np.float32 if is_float else np.int32)
        wanted = out.copy()
        for thread, i, row, column in sums(columns):
            out[thread, i] = before[row, column]
            wanted[thread, i] = result[row, column]
        error = driver.run(text, [picture, words, out], WARPS * LANES, shared)
        if error:
            return f"error {error}"
        return "" if np.array_equal(out, wanted) else f"{(out != wanted).sum()} sums differ"

    return text, run, what
