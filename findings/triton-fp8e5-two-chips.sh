#!/bin/sh
# triton-fp8e5-two-chips.sh -- Triton 3.8.0 casts to fp8e5 in two ways.
#
# For sm_90 it takes the instruction, which rounds ties to even, saturates and
# keeps NaN.  For sm_80 it masks, adds half a unit and takes the upper byte:
# ties go away from zero, and 0x7fff, the NaN that cvt.f16.f32 makes, ends as
# -0.  The sm_80 steps are evaluated here as they stand in the PTX.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  ml_dtypes==0.6.0 triton==3.8.0
cat > "$work/finding.py" <<'EOF'
import re
import sys
import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def narrow(x, y):
    i = tl.arange(0, 128)
    tl.store(y + i, tl.load(x + i).to(tl.float8e5))


def compiled(chip):
    return triton.compile(ASTSource(narrow, {"x": "*fp16", "y": "*fp8e5"}),
                          target=GPUTarget("cuda", chip, 32)).asm["ptx"]


def evaluate(steps, bits):
    """The first byte of the last step, of pairs of fp16 with these bits."""
    values = {}
    for op, out, *names in steps:
        args = [int(name, 16) if name.startswith("0x") else
                values.get(name, bits * 0x10001) for name in names if name]
        if op == "and":
            values[out] = args[0] & args[1]
        elif op == "add":
            values[out] = (args[0] + args[1]) & 0xFFFFFFFF
        else:
            values[out] = (args[0] | args[1] << 32) >> 8 * (args[2] & 7)
    return values[out] & 255


print("triton", triton.__version__, "ml_dtypes", ml_dtypes.__version__)
block = re.search(r"\.reg \.b32 a<2>;(.*?)\}", compiled(80), re.S).group(1)
steps = re.findall(r"^(and|add|prmt)\.\w+ ([%\w]+), ([%\w]+), ([%\w]+)"
                   r"(?:, (\w+))?;", block, re.M)
print("sm_80:", *(" ".join(step).strip() for step in steps), sep="\n  ")
print("sm_90:", *set(re.findall(r"cvt\S*e5m2\S*", compiled(90))))
seen = []
for what, bits in (("1.125", 0x3C80), ("NaN", 0x7FFF), ("65504", 0x7BFF)):
    bytes_80 = np.array([evaluate(steps, bits)], np.uint8)
    reference = np.array([bits], np.uint16).view(np.float16)
    seen.append(str(bytes_80.view(ml_dtypes.float8_e5m2)[0]))
    print(f"{what}: sm_80 makes {seen[-1]}, "
          f"ml_dtypes {reference.astype(ml_dtypes.float8_e5m2)[0]}")
sys.exit(seen != ["1.25", "-0", "inf"] or
         "cvt.rn.satfinite.e5m2x2" not in compiled(90))
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
