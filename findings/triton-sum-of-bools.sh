#!/bin/sh
# triton-sum-of-bools.sh -- in Triton 3.8.0 the sum of 256 Trues stores False.
#
# Storing an integer through a pointer to bool keeps its low eight bits rather
# than asking whether it is zero, so every multiple of 256 becomes False.
# 3.9.0 compares with zero.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.8.0
cat > "$work/finding.py" <<'EOF'
import re
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def any_set(x, y):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, 256)), 0))


print("triton", triton.__version__)
kernel = triton.compile(ASTSource(any_set, {"x": "*i1", "y": "*i1"}),
                        target=GPUTarget("cuda", 80, 32))
lines = [re.sub(r" loc\(.*", "", line.strip())
         for line in kernel.asm["ttir"].splitlines()]
after = lines[lines.index("}) : (tensor<256xi32>) -> i32") + 1:]
print(*after[:after.index("tt.return")], sep="\n")
text = "\n".join(after)
print("256 becomes", 256 & 255)
sys.exit("arith.trunci" not in text or "arith.cmpi" in text)
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
