# waits.py -- programs that wait for others: a volatile load is executed in each
# trip, and accesses behind an acquire, or before a release, stay there.
# devices: sim
# also: sim sm_75 sm_90
# run: --grid=2 --kernel=one --arg flag=zeros:i32[1] --arg out=zeros:i32[1] --reference out=waits-one.npy --tolerance=0
# run: --grid=4 --kernel=chain --arg flags=zeros:i32[4] --arg data=zeros:i32[4x64] --arg out=zeros:i32[4x64] --reference out=waits-chain.npy --tolerance=0
# run: --grid=4 --kernel=turns --arg turn=zeros:i32[1] --arg data=zeros:i32[64] --reference data=waits-turns.npy --tolerance=0
# run: --grid=2 --kernel=told --arg flag=zeros:i32[1] --arg data=zeros:i32[512] --arg out=zeros:i32[512] --reference out=waits-told.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def one(flag, out):
    if tl.program_id(0) == 0:
        seen = tl.load(flag, volatile=True)
        while seen == 0:
            seen = tl.load(flag, volatile=True)
        tl.store(out, seen)
    else:
        tl.atomic_xchg(flag, 7)


@triton.jit
def chain(flags, data, out):
    """Each program but the first reads the numbers of the one before, and adds
    to them."""
    n = tl.program_id(0)
    i = tl.arange(0, 64)
    v = i
    if n > 0:
        while tl.atomic_cas(flags + n - 1, 1, 1, sem="acquire") == 0:
            pass
        v = tl.load(data + (n - 1) * 64 + i) * 2 + n
    tl.store(data + n * 64 + i, v)
    tl.debug_barrier()
    tl.atomic_xchg(flags + n, 1, sem="release")
    tl.store(out + n * 64 + i, v)


@triton.jit
def turns(turn, data):
    """Programs in the order of their numbers update the same elements."""
    n = tl.program_id(0)
    i = tl.arange(0, 64)
    while tl.atomic_add(turn, 0, sem="acquire") != n:
        pass
    tl.store(data + i, tl.load(data + i) * 3 + i + n)
    tl.debug_barrier()
    tl.atomic_add(turn, 1, sem="release")


@triton.jit
def told(flag, data, out):
    """All threads of program 0 read what those of program 1 have written: the
    release waits for all, and all wait for the acquire."""
    i = tl.arange(0, 512)
    if tl.program_id(0) == 0:
        while tl.load(flag, volatile=True) == 0:
            pass
        tl.atomic_add(flag, 0, sem="acquire")
        tl.store(out + i, tl.load(data + i))
    else:
        tl.store(data + i, i * 3)
        tl.atomic_xchg(flag, 1, sem="release")
