#!/bin/sh
# hooks.sh TILEC -- the usual effects of a `pre_hook` of a configuration: before
# each launch it fills tensors and gives descriptors their blocks.
. "$(dirname "$0")/expect.sh"

# kernel HOOK <functions: k.py, whose configurations have the hook.
kernel() {
  {
    printf 'import math, torch, triton\nimport triton.language as tl\n'
    printf 'from triton.tools.tensor_descriptor import TensorDescriptor\n'
    cat
    cat <<END
@triton.autotune(configs=[triton.Config({'B': b}, num_warps=b // 8, pre_hook=$1)
                          for b in (16, 32)], key=['n'])
@triton.jit
def k(c, o, d_desc, n, m, FLAG: tl.constexpr, B: tl.constexpr,
      SUB: tl.constexpr = 1):
    tl.atomic_add(c + tl.arange(0, 4), 1.0)
    if isinstance(d_desc, tl.tensor_descriptor):
        d_desc.store([tl.program_id(0) * B, 0], tl.full([B, 32], 3.0, tl.float32))
END
  } >k.py
}

# launch CODE PATTERN COMMAND...: with a block that is too narrow, unless a
# descriptor is given.
launch() {
  wanted=$1 pattern=$2
  shift 2
  case "$*" in *d_desc=*) ;; *) set -- "$@" --arg 'd_desc=desc(empty:fp32[64x32], [1, 1])' ;; esac
  expect "$wanted" "$pattern" "$@" --grid='cdiv(n, B)' --arg 'c=full(7):fp32[4]' \
    --arg o=None --arg n=64 --arg m=256 -D FLAG=True
}

# hooked SUM HOOK <functions: elements of `c` after launches of both; each of
# the two, or four, programs adds 1.
hooked() {
  sum=$1
  kernel "$2"
  for device in cpu sim; do
    launch 0 "\[0\] $((sum + 4)) " "$tilec" run k.py --device=$device --print c
    launch 0 "\[0\] $((sum + 2)) " "$tilec" run k.py --device=$device --config=1 \
      --time=2 --print c --require-written
  done
}

hooked 0 clear <<'END'
def clear(nargs):
    nargs["c"].zero_()
    nargs["d_desc"].block_shape = [nargs["B"], 32]
END
hooked 0 "init_to_zero('c', 'd_desc')" <<'END'
def init_to_zero(*names):
    def init_func(nargs):
        for name in names:
            if isinstance(nargs[name], TensorDescriptor):
                nargs[name].block_shape = [nargs["B"], 32]
            else:
                nargs[name].zero_()
    return init_func
END
hooked 0 "lambda nargs: (zero(['c', 'o'])(nargs), blocks(nargs))" <<'END'
def zero(names):
    return lambda nargs: [nargs[name].zero_() for name in names if nargs[name] is not None]
def blocks(nargs):
    BLOCK_M = nargs["B"]
    SUB = nargs.get("SUB", 1)
    nargs["NEXT"] = triton.next_power_of_2(nargs["m"] - 1)
    nargs["d_desc"].block_shape = [
        BLOCK_M,
        nargs["NEXT"] // 8 // SUB,
    ]
END
hooked -3 each <<'END'
def each(nargs, reset_only=False):
    if reset_only:
        return
    assert nargs["num_warps"] == nargs["B"] // 8 and nargs["num_ctas"] == 1
    for key in list(nargs.keys()):
        if key.startswith("d_") and isinstance(nargs[key], TensorDescriptor):
            nargs[key].block_shape = [nargs["B"], math.ceil(nargs["m"] / 8)]
    if isinstance(nargs.get("o"), torch.Tensor) or "q_desc" in nargs:
        raise ValueError("not given")
    if nargs["FLAG"] and nargs["n"] % 2 == 0:
        nargs["c"].fill_(-3)
    if nargs["d_desc"].block_shape[0] != nargs["B"]:
        raise ValueError("the block has not changed")
END

# -- Configurations of another module, and the best of a tuned folder ---------

cat >hooked_configs.py <<'END'
import triton
def fill(nargs):
    nargs["x"].fill_(nargs["ADD"])
configs = [triton.Config({"ADD": add}, pre_hook=fill) for add in (1, 2)]
END
cat >imported.py <<'END'
import triton
import triton.language as tl
from hooked_configs import configs
@triton.autotune(configs=configs, key=["n"])
@triton.jit
def add(x, n, ADD: tl.constexpr):
    for i in range(1 + (ADD == 1) * n):
        tl.atomic_add(x, tl.where(i == 0, ADD, 0).to(tl.float32))
END
for config in 0 1; do
  expect 0 "\\[0\\] $((2 * config + 2))\$" "$tilec" run imported.py --grid=1 \
    --arg 'x=full(9):fp32[1]' --arg n=3 --config=$config --print x
done
# The comparison accepts any result here; both configurations have the hook.
expect 0 'best: --config=1' "$tilec" tune imported.py --device=cpu --grid=1 \
  --arg 'x=full(9):fp32[1]' --arg n=100000 --rounds=5 --tolerance=2 \
  --tuned="$work/tuned"
expect 0 '\[0\] 4$' "$tilec" run imported.py --device=cpu --grid=1 --print x \
  --arg 'x=full(9):fp32[1]' --arg n=100000 --config=best --tuned="$work/tuned"

# -- Unknown effects ---------------------------------------------------------

kernel odd <<'END'
def odd(nargs):
    if nargs["n"] % 2 == 0:
        nargs["c"].copy_(nargs["c"])
END
full='d_desc=desc(empty:fp32[64x32], [16, 32])'
launch 0 "'pre_hook' of 'k' cannot be evaluated.*'.copy_'" \
  "$tilec" run k.py --arg "$full"
launch 0 '\[0\] 11 ' "$tilec" run k.py --arg "$full" --print c
launch 0 '' "$tilec" run k.py --arg "$full" --no-hooks
[ -s err ] && complain 'the hook was looked at'

kernel part <<'END'
def part(nargs):
    (nargs["c"] + 1).zero_()
END
launch 0 "'pre_hook' of 'k' cannot be evaluated" "$tilec" run k.py --arg "$full"

kernel bad <<'END'
def bad(nargs):
    nargs["d_desc"].block_shape = [nargs["B"]]
END
launch 0 'a block_shape here is a list of 2 positive integers, found' \
  "$tilec" run k.py --arg "$full"

# -- Code that others launch -------------------------------------------------

kernel clear <<'END'
def clear(nargs):
    nargs["c"].zero_()
    nargs["d_desc"].block_shape = [nargs["B"], 32]
END
types='*fp32, None, tensordesc<fp32[1, 1]>, i32, i32'
expect 0 "fills 'c' before each launch: the program that launches this code must" \
  "$tilec" k.py --signature="$types" -D FLAG=True --config=1 -o k.o
expect 1 'a block is 16 bytes or more' \
  "$tilec" k.py --signature="$types" -D FLAG=True --no-hooks -o k.o
printf 'k(%s) FLAG=True --config=1\n' "$types" >v
expect 1 "v:1:1: error: the 'pre_hook' of this configuration of 'k' fills 'c'" \
  "$tilec" pack k.py --variants=v -o k.tilepack
[ -e k.tilepack ] && complain 'a pack was written'
sed 's/1, 1\]/32, 32]/' v >w
expect 0 '' "$tilec" pack k.py --variants=w --no-hooks -o k.tilepack
sed '/zero_/d' k.py >blocks.py
expect 0 '' "$tilec" pack blocks.py --variants=v -o k.c --header=k.h
# A variant is recorded with the block that it has.
launch 0 '' env TILE_RECORD=recorded "$tilec" run blocks.py --config=1
expect 0 'tensordesc<fp32\[32, 32\]>.*--config=1' cat recorded

finish
