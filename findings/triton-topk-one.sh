#!/bin/sh
# triton-topk-one.sh -- Triton 3.8.0 cannot take the top one of a vector.
#
# tl.topk(v, 1) of a tile of one dimension fails to compile; of two dimensions,
# or with k = 2, it compiles.  3.9.0 takes them all.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.8.0
cat > "$work/finding.py" <<'EOF'
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompilationError


@triton.jit
def top(x, y, K: tl.constexpr):
    best = tl.topk(tl.load(x + tl.arange(0, 16)), K)
    tl.store(y + tl.arange(0, K), best)


@triton.jit
def top_of_rows(x, y, K: tl.constexpr):
    i = tl.arange(0, 2)[:, None]
    best = tl.topk(tl.load(x + i * 16 + tl.arange(0, 16)[None, :]), K)
    tl.store(y + i * K + tl.arange(0, K)[None, :], best)


def compiles(kernel, k):
    source = ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "K": "constexpr"},
                       {"K": k})
    try:
        triton.compile(source, target=GPUTarget("cuda", 80, 32))
    except CompilationError as error:
        while error.__cause__:
            error = error.__cause__
        return str(error).strip().splitlines()[-1]
    return "compiles"


print("triton", triton.__version__)
seen = [compiles(top, 1), compiles(top, 2), compiles(top_of_rows, 1)]
for what, result in zip(("16 -> 1", "16 -> 2", "2x16 -> 2x1"), seen):
    print(f"{what:11} {result}")
sys.exit(seen[0] == "compiles" or seen[1:] != ["compiles"] * 2)
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
