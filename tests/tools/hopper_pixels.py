"""hopper_pixels.py -- makes random im2col copies of tensors, and their results by the manual.

A column of pixels starts at a pixel of the bounding box and goes on along W, then H and D, each
from the box's lower corner again, then to the next image. Offsets move the pixels that are read,
not the walk. A store has no offsets, and leaves out pixels outside of the tensor.
"""
import numpy as np

from hopper_boxes import TYPES, WIDTHS, FENCE, nan_of


class Pixels:
    def __init__(self, r):
        self.rank = r.randrange(3, 6)
        self.kind = r.choice(sorted(TYPES))
        self.number, self.bytes = TYPES[self.kind]
        self.swizzle = r.choice([0, 0, 1, 2, 3])
        unit = 16 // self.bytes
        most = min(256, (WIDTHS[self.swizzle] or 256) // self.bytes)
        self.channels = unit * r.randrange(1, most // unit + 1)
        self.pixels = r.randrange(1, 25)
        space = self.rank - 2  # of the dimensions W, H and D
        self.dims = [unit * r.randrange(1, 20)] + [r.randrange(3, 9) for _ in range(space)]
        self.dims.append(r.randrange(1, 5))
        self.lower = [r.randrange(-3, 2) for _ in range(space)]
        self.upper = [r.randrange(-1, 3) for _ in range(space)]
        self.steps = [1] + [r.choice([1, 1, 2, 3]) for _ in range(space)] + [1]
        self.stores = r.random() < 0.3
        self.offsets = [0 if self.stores else r.randrange(0, 4) for _ in range(space)]
        self.fill = int(self.kind in ("f16", "f32", "f64", "bf16") and r.random() < 0.5)
        # The walk starts at a pixel that a walk can reach.
        first = [low + step * r.randrange((size + up - low - 1) // step + 1) for low, up, size, step
                 in zip(self.lower, self.upper, self.dims[1:], self.steps[1:])]
        self.at = [r.randrange(-1, 3) * unit, *first, r.randrange(-1, self.dims[-1] + 1)]
        self.strides, size = [], self.dims[0] * self.bytes
        for count in self.dims[1:]:
            size += r.choice([0, 0, 16])
            self.strides.append(size)
            size *= count
        self.tensor_bytes = size

    def walk(self):
        """The pixels of the column: coordinates from W on."""
        here = self.at[1:]
        for _ in range(self.pixels):
            yield list(here)
            for i, low in enumerate(self.lower):
                here[i] += self.steps[i + 1]
                if here[i] < self.dims[i + 1] + self.upper[i]:
                    break
                here[i] = low
            else:
                here[-1] += 1

    def elements(self):
        """Yield for each element of the column its byte in shared memory, and
        in the tensor or None."""
        pitch = WIDTHS[self.swizzle] or self.channels * self.bytes
        for row, pixel in enumerate(self.walk()):
            place = [p + o for p, o in zip(pixel, [*self.offsets, 0])]
            inside = all(0 <= p < size for p, size in zip(place, self.dims[1:]))
            for i in range(self.channels):
                near, channel = row * pitch + i * self.bytes, self.at[0] + i
                if self.swizzle:
                    near ^= (near >> 7 & (WIDTHS[self.swizzle] // 16 - 1)) << 4
                far = channel * self.bytes + sum(p * s for p, s in zip(place, self.strides))
                yield near, far if inside and 0 <= channel < self.dims[0] else None

    def copy(self, near, far):
        nothing = np.frombuffer(nan_of(self.kind) if self.fill else bytes(self.bytes), np.uint8)
        for here, there in self.elements():
            here = slice(here, here + self.bytes)
            away = None if there is None else slice(there, there + self.bytes)
            if not self.stores:
                near[here] = nothing if away is None else far[away]
            elif away is not None:
                far[away] = near[here]


def kernel(case, shared):
    at = ", ".join(map(str, case.at))
    moved = ", ".join(map(str, case.offsets))
    size = case.pixels * case.channels * case.bytes
    if case.stores:
        copy = [f"@%p1 cp.async.bulk.tensor.{case.rank}d.global.shared::cta.im2col_no_offs"
                f".bulk_group [%x3, {{{at}}}], [s];",
                "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0; bar.sync 0;"]
    else:
        copy = [f"@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [b], {size};",
                f"@%p1 cp.async.bulk.tensor.{case.rank}d.shared::cluster.global.im2col"
                f".mbarrier::complete_tx::bytes [s], [%x3, {{{at}}}], [b], {{{moved}}};",
                "W: mbarrier.try_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra W;"]
    return "\n".join([
        ".version 8.5", ".target sm_90a", ".address_size 64",
        ".visible .entry k(.param .align 64 .b8 m[128], .param .u64 p0, .param .u64 p1) {",
        ".reg .b32 %r<6>; .reg .b64 %x<6>; .reg .pred %p<3>; .shared .align 8 .b64 b;",
        f".shared .align 1024 .b8 s[{shared}];",
        "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; ld.param.u64 %x0, [p0];",
        "mov.b64 %x3, m; cvta.param.u64 %x3, %x3; @%p1 mbarrier.init.shared.b64 [b], 1;",
        "mov.u32 %r1, s; add.u32 %r1, %r1, %r0; cvt.u64.u32 %x2, %r0; add.u64 %x1, %x0, %x2;",
        "mov.u32 %r3, %r0; mov.u64 %x5, %x1; mov.u32 %r4, %r1;",
        f"L: setp.ge.u32 %p2, %r3, {shared}; @%p2 bra M; ld.global.u8 %r2, [%x5];",
        "st.shared.u8 [%r4], %r2; add.u32 %r3, %r3, 128; add.u32 %r4, %r4, 128;",
        "add.u64 %x5, %x5, 128; bra L; M: " + FENCE,
        *copy,
        f"N: setp.ge.u32 %p2, %r0, {shared}; @%p2 bra E; ld.shared.u8 %r2, [%r1];",
        "st.global.u8 [%x1], %r2; add.u32 %r0, %r0, 128; add.u32 %r1, %r1, 128;",
        "add.u64 %x1, %x1, 128; bra N; E: ret;", "}", ""])


def pixels(r, rng):
    case = Pixels(r)
    pitch = WIDTHS[case.swizzle] or case.channels * case.bytes
    shared = -(-(case.pixels * pitch) // 1024) * 1024
    picture = rng.integers(0, 256, shared).astype(np.uint8)
    source = rng.integers(0, 256, case.tensor_bytes).astype(np.uint8)
    text = kernel(case, shared)

    def run(driver):
        wanted, got, tensor = picture.copy(), picture.copy(), source.copy()
        there = driver.buffer(source)
        case.copy(wanted, source)
        made = driver.im2col_map(case.number, there, case.dims, case.strides, case.lower,
                                 case.upper, case.channels, case.pixels, case.steps, case.swizzle,
                                 case.fill)
        error = driver.run(text, [got, there], 128, 0, [made]) if made else "a map is refused"
        driver.fetch(there, tensor)
        driver.call("cuMemFree_v2", there)
        if error:
            return f"error {error}"
        for name, left, right in (("shared memory", got, wanted), ("the tensor", tensor, source)):
            differ = np.nonzero(left != right)[0]
            if differ.size:
                return f"byte {differ[0]} of {name} differs"
        return ""

    return text, run, str(case.__dict__)
