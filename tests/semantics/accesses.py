# accesses.py -- atomic loads and stores of every width: loads find the values
# that were stored, as a tile, masked, and as one value.
# run: --grid=1 --kernel=copy --arg x=@codes-bytes.npy --arg out=empty:u8[512] -D T=tl.int8 -D N=256 --reference out=accesses.npy --tolerance=0
# run: --grid=1 --kernel=copy --arg x=@codes-bytes.npy --arg out=empty:u8[512] -D T=tl.float8e5 -D N=256 --reference out=accesses.npy --tolerance=0
# run: --grid=1 --kernel=copy --arg x=@codes-bytes.npy --arg out=empty:u8[512] -D T=tl.uint16 -D N=128 --reference out=accesses.npy --tolerance=0
# run: --grid=1 --kernel=copy --arg x=@codes-bytes.npy --arg out=empty:u8[512] -D T=tl.bfloat16 -D N=128 --reference out=accesses.npy --tolerance=0
# run: --grid=1 --kernel=copy --arg x=@codes-bytes.npy --arg out=empty:u8[512] -D T=tl.float32 -D N=64 --reference out=accesses.npy --tolerance=0
# run: --grid=1 --kernel=copy --arg x=@codes-bytes.npy --arg out=empty:u8[512] -D T=tl.int64 -D N=32 --reference out=accesses.npy --tolerance=0
# run: --grid=1 --kernel=bools --arg x=@codes-bytes.npy --arg out=empty:u8[4] --reference out=accesses-bools.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def copy(x, out, T: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    p, q = x.to(tl.pointer_type(T)), out.to(tl.pointer_type(T))
    v = tl.atomic_load(p + i, scope="cta")
    tl.static_assert(v.dtype == T)
    tl.atomic_store(q + i, v, mask=i >= 1)
    first = tl.atomic_load(p, sem="relaxed")
    tl.atomic_store(q, first)
    zeros = tl.zeros([N], tl.int32).to(T)
    tl.atomic_store(q + N + i, zeros, sem="relaxed")
    tl.debug_barrier()
    some = tl.atomic_load(p + i, mask=i < 0)
    tl.atomic_store(q + N + i, some)


@triton.jit
def bools(x, out):
    p, q = x.to(tl.pointer_type(tl.int1)), out.to(tl.pointer_type(tl.int1))
    tl.atomic_store(q, tl.atomic_load(p + 2))
    tl.atomic_store(q + 1, 256)
    tl.atomic_store(q + 2, tl.atomic_load(p))
    tl.atomic_store(q + 3, 0.25)
