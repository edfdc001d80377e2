# ragged.py -- slices of rows of one tensor, by the descriptor that
# triton.tools.ragged_tma.create_ragged_descriptor makes: `slice` is rows 3 to 10.
# also: sim sm_90
# run: --kernel=copy --grid=3 --arg x=arange:fp32[16,8] --arg out=zeros:fp32[16,8] --arg off=3 --arg size=7 --reference out=ragged-copy.npy --tolerance=0
# run: --kernel=add --grid=3 --arg x=arange:fp32[16,8] --arg out=@ragged-copy.npy --arg off=3 --arg size=7 --reference out=ragged-add.npy --tolerance=0
# run: --kernel=planes --grid=2 --arg x=arange:fp32[4,8,8] --arg out=zeros:fp32[4,8,8] --arg off=2 --arg size=5 --reference out=ragged-planes.npy --tolerance=0
import triton
import triton.language as tl
from triton.tools import ragged_tma
from triton.tools.ragged_tma import load_ragged, store_ragged


@triton.jit
def rows_of(p):
    return tl.make_tensor_descriptor(p, [0x7fff0000, 0x7fff0000, 1 << 30, 8], [(1 << 34) - 8, 8, 8, 1], [1, 1, 4, 8])


@triton.jit
def copy(x, out, off, size):
    row = tl.program_id(0) * 4
    block = load_ragged(rows_of(x), off, size, [row, 0])
    tl.static_assert(block.shape == [4, 8])
    store_ragged(rows_of(out), off, size, [row, 0], block + 1000)


@triton.jit
def add(x, out, off, size):
    row = tl.program_id(0) * 4
    block = ragged_tma.load_ragged(rows_of(x), off, size, [row, 0], ragged_dim=0)
    triton.tools.ragged_tma.atomic_add_ragged(rows_of(out), off, size, [row, 0], block)


# The rows of each plane, of which there are four.
@triton.jit
def planes_of(p):
    return tl.make_tensor_descriptor(p, [0x7fff0000, 0x7fff0000, 4, 1 << 30, 8], [(1 << 34) - 8, 8, 64, 8, 1],
                                     [1, 1, 2, 4, 8])


@triton.jit
def planes(x, out, off, size):
    coords = (tl.program_id(0) * 2, 2, 0)
    store_ragged(planes_of(out), off, size, coords, load_ragged(planes_of(x), off, size, coords, 1) + 1000, 1)
