#!/bin/sh
# triton-half-equals-tenth.sh -- in Triton 3.8.0 no fp16 equals 0.1.
#
# In a comparison the number is not rounded to fp16; both sides become fp32,
# where the fp16 nearest to 0.1 differs from 0.1.  In h - 0.1 the same number
# is fp16, so "h == 0.1" and "h - 0.1 == 0" disagree.  3.9.0 compares in fp16.
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
def equal(x, y):
    i = tl.arange(0, 128)
    tl.store(y + i, (tl.load(x + i) == 0.1).to(tl.int8))


@triton.jit
def difference(x, y):
    i = tl.arange(0, 128)
    tl.store(y + i, (tl.load(x + i) - 0.1 == 0).to(tl.int8))


def floats(kernel):
    ttir = triton.compile(ASTSource(kernel, {"x": "*fp16", "y": "*i8"}),
                          target=GPUTarget("cuda", 80, 32)).asm["ttir"]
    return re.findall(r"arith\.(cmpf|subf)\b.*?x(f16|f32)>", ttir)


print("triton", triton.__version__)
seen = [floats(equal), floats(difference)]
print("h == 0.1     ->", *seen[0])
print("h - 0.1 == 0 ->", *seen[1])
sys.exit(seen[0] != [("cmpf", "f32")] or ("subf", "f16") not in seen[1])
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
