"""hopper_boxes.py -- makes random copies of boxes of tensors, and their results by the manual.

A box is loaded, stored elsewhere, or added to a tensor, through shared memory. The bytes of
shared memory are compared, too.
"""
import numpy as np

# The driver's numbers of types, with their bytes and their words in reductions.
TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "s32": (3, 4), "u64": (4, 8), "s64": (5, 8),
         "f16": (6, 2), "f32": (7, 4), "f64": (8, 8), "bf16": (9, 2)}
ADDED = {"u32": np.uint32, "s32": np.int32, "u64": np.uint64, "f32": np.float32, "f16": np.float16}
WIDTHS = {0: 0, 1: 32, 2: 64, 3: 128}  # of the driver's swizzles
FENCE = "fence.proxy.async; bar.sync 0;"


class Box:
    def __init__(self, r, rng):
        self.rank = r.randrange(1, 6)
        self.kind = r.choice(sorted(TYPES))
        self.number, self.bytes = TYPES[self.kind]
        self.swizzle = r.choice([0, 0, 1, 2, 3])
        unit = 16 // self.bytes or 1
        width = WIDTHS[self.swizzle]
        most = min(256, (width or 512) // self.bytes)
        self.box = [unit * r.randrange(1, max(most // unit, 1) + 1)]
        room = 4096 // (self.box[0] * self.bytes)
        for _ in range(1, self.rank):
            self.box.append(r.randrange(1, max(2, min(9, room + 1))))
            room //= self.box[-1]
        self.box[0] = min(self.box[0], most)
        self.dims = [unit * r.randrange(1, 12)] + [r.randrange(1, 9) for _ in range(1, self.rank)]
        self.steps = [1] + [r.choice([1, 1, 1, 2, 3]) for _ in range(1, self.rank)]
        self.strides, at = [], self.dims[0] * self.bytes
        for size in self.dims[1:]:
            at = -(-at // 16) * 16 + r.choice([0, 0, 16])
            self.strides.append(at)
            at *= size
        self.tensor_bytes = at + 16
        self.at = [r.randrange(-3, size + 3) for size in self.dims]
        self.at[0] = r.randrange(-2, 4) * unit if r.random() < 0.7 else self.at[0]
        self.fill = int(self.kind in ("f16", "f32", "f64", "bf16") and r.random() < 0.3)
        # With steps a box has its extent divided by the step, rounded up.
        self.counts = [-(-b // s) for b, s in zip(self.box, self.steps)]
        self.row = self.counts[0] * self.bytes

    def elements(self):
        """Yield for each element of the box its index, its byte in shared
        memory, and its byte in the tensor or None."""
        rows = 0
        for index in np.ndindex(*self.counts[::-1]):
            index = index[::-1]
            if index[0] == 0:
                row, rows = rows, rows + 1
            pitch = WIDTHS[self.swizzle] or self.row
            near = row * pitch + index[0] * self.bytes
            if self.swizzle:
                near ^= (near >> 7 & (WIDTHS[self.swizzle] // 16 - 1)) << 4
            place = [a + i * s for a, i, s in zip(self.at, index, self.steps)]
            inside = all(0 <= p < size for p, size in zip(place, self.dims))
            far = place[0] * self.bytes + sum(p * s for p, s in zip(place[1:], self.strides))
            yield near, far if inside else None
        self.rows = rows


def nan_of(kind):
    return {"f16": b"\xff\x7f", "bf16": b"\xff\x7f", "f32": b"\xff\xff\xff\x7f",
            "f64": b"\xff" * 7 + b"\x7f"}[kind]


def kernel(box, shared, copies):
    coordinates = ", ".join(str(c) for c in box.at)
    out = [".version 8.5", ".target sm_90a", ".address_size 64",
           ".visible .entry k(.param .align 64 .b8 m[128], .param .align 64 .b8 n[128],",
           "  .param .u64 p0, .param .u64 p1, .param .u64 p2) {",
           ".reg .b32 %r<6>; .reg .b64 %x<6>; .reg .pred %p<3>; .shared .align 8 .b64 b;",
           f".shared .align 1024 .b8 s[{shared}];",
           "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; ld.param.u64 %x0, [p0];",
           "mov.b64 %x3, m; cvta.param.u64 %x3, %x3; mov.b64 %x4, n; cvta.param.u64 %x4, %x4;",
           "@%p1 mbarrier.init.shared.b64 [b], 1;",
           "mov.u32 %r1, s; add.u32 %r1, %r1, %r0; cvt.u64.u32 %x2, %r0; add.u64 %x1, %x0, %x2;",
           "mov.u32 %r3, %r0; mov.u64 %x5, %x1; mov.u32 %r4, %r1;",
           f"L: setp.ge.u32 %p2, %r3, {shared}; @%p2 bra M; ld.global.u8 %r2, [%x5];",
           "st.shared.u8 [%r4], %r2; add.u32 %r3, %r3, 128; add.u32 %r4, %r4, 128;",
           "add.u64 %x5, %x5, 128; bra L; M: " + FENCE]
    for copy in copies:
        word = f"cp.async.bulk.tensor.{box.rank}d" if copy != "add" else (
            f"cp.reduce.async.bulk.tensor.{box.rank}d")
        if copy == "load":
            size = int(np.prod(box.counts)) * box.bytes
            out += [f"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], {size};",
                    f"@%p1 {word}.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
                    f"[%x3, {{{coordinates}}}], [b];",
                    "W: mbarrier.try_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra W;"]
        else:
            tail = "add." if copy == "add" else ""
            out += [f"@%p1 {word}.global.shared::cta.{tail}bulk_group "
                    f"[%x4, {{{coordinates}}}], [s];",
                    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0; bar.sync 0;"]
    out += [f"N: setp.ge.u32 %p2, %r0, {shared}; @%p2 bra E; ld.shared.u8 %r2, [%r1];",
            "st.global.u8 [%x1], %r2; add.u32 %r0, %r0, 128; add.u32 %r1, %r1, 128;",
            "add.u64 %x1, %x1, 128; bra N; E: ret;", "}", ""]
    return "\n".join(out)


def numbers(rng, box, size):
    """Bytes of small numbers of the type, so that sums are exact."""
    if box.kind not in ADDED:
        return rng.integers(0, 256, size).astype(np.uint8)
    return rng.integers(0, 100, size // box.bytes).astype(ADDED[box.kind]).view(np.uint8)


def boxes(r, rng):
    box = Box(r, rng)
    places = list(box.elements())
    pitch = WIDTHS[box.swizzle] or box.row
    shared = -(-(box.rows * pitch) // 1024) * 1024
    copies = r.choice([["load"], ["store"], ["load", "store"], ["add"] if box.kind in ADDED else
                       ["store"]])
    size = -(-box.tensor_bytes // 16) * 16
    picture, source, target = (numbers(rng, box, n) for n in (shared, size, size))
    text = kernel(box, shared, copies)
    what = f"{copies} {box.__dict__}"

    def model(near, far):
        for copy in copies:
            for place, there in places:
                here = slice(place, place + box.bytes)
                away = None if there is None else slice(there, there + box.bytes)
                if copy == "load":
                    nothing = np.frombuffer(nan_of(box.kind) if box.fill else bytes(box.bytes), np.uint8)
                    near[here] = nothing if away is None else source[away]
                elif away is not None and copy == "store":
                    far[away] = near[here]
                elif away is not None:
                    kind = ADDED[box.kind]
                    far[away] = (far[away].view(kind) + near[here].view(kind)).view(np.uint8)

    def run(driver):
        near, far, got, tensor = picture.copy(), target.copy(), picture.copy(), target.copy()
        model(near, far)
        from_there, to_there = driver.buffer(source), driver.buffer(tensor)
        maps = [driver.tiled_map(box.number, address, box.dims, box.strides, box.box, box.steps,
                                 box.swizzle, box.fill) for address in (from_there, to_there)]
        if None in maps:
            return "a tensor map is refused"
        error = driver.run(text, [got, from_there, to_there], 128, 0, maps)
        driver.fetch(to_there, tensor)
        for address in (from_there, to_there):
            driver.call("cuMemFree_v2", address)
        if error:
            return f"error {error}"
        if not np.array_equal(got, near):
            return f"byte {np.nonzero(got != near)[0][0]} of shared memory differs"
        return "" if np.array_equal(tensor, far) else "the tensor differs"

    return text, run, what
