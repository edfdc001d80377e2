#!/bin/sh
# triton-debug-overflow-lanes.sh -- debug=True checks int32 sums for overflow,
# but from sm_80 on not where the lanes of a warp are added.
#
# There one redux.sync takes the place of the function that the reduction
# combines by, and of the assertion in it.  For sm_75 every step is checked.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.9.0
cat > "$work/finding.py" <<'EOF'
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def total(x, y):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, 8)), 0, add))


def checks(chip):
    kernel = triton.compile(
        ASTSource(total, {"x": "*i32", "y": "*i32"}),
        target=GPUTarget("cuda", chip, 32),
        options={"num_warps": 1, "debug": True})
    text = kernel.asm["ptx"]
    found = text.count("call.uni"), text.count("redux.sync")
    print(f"sm_{chip}: {found[0]} assertions, {found[1]} redux.sync")
    return found


print("triton", triton.__version__)
old, new = checks(75), checks(80)
sys.exit(not (old[0] > 0 and old[1] == 0 and new == (0, 1)))
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
