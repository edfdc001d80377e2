#!/bin/sh
# triton-float-remainder.sh -- Triton's PTX makes 1e9 % 3.0 -32.
#
# A float remainder becomes LLVM's frem, which NVPTX expands to one division,
# one truncation and one fma.  A quotient over 2^24 is not exact, so the result
# is not even in the range of the divisor.  C's fmod, and NumPy's, say 1.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 triton==3.9.0
cat > "$work/finding.py" <<'EOF'
import math
import re
import sys
from fractions import Fraction
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def remainder(x, y):
    i = tl.arange(0, 128)
    tl.store(y + i, tl.load(x + i) % 3.0)


print("triton", triton.__version__)
kernel = triton.compile(ASTSource(remainder, {"x": "*fp32", "y": "*fp32"}),
                        target=GPUTarget("cuda", 80, 32))
steps = re.findall(r"^\s*((?:div|cvt|fma|sub|mul)\.\S*f32.*);",
                   kernel.asm["ptx"], re.M)
print(*steps, sep="\n")

# The three instructions, each rounded once, to the nearest.
x = np.float32(1e9)
quotient = np.trunc(x / np.float32(3))
exact = Fraction(float(x)) - 3 * Fraction(float(quotient))
result = float(np.float32(float(exact)))
print("by these steps:", result, " fmod:", math.fmod(1e9, 3))
kinds = [step.split()[0] for step in steps]
sys.exit(kinds != ["div.rn.f32", "cvt.rzi.f32.f32", "fma.rn.f32"] or
         (result, math.fmod(1e9, 3)) != (-32.0, 1.0))
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
