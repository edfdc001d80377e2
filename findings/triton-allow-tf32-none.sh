#!/bin/sh
# triton-allow-tf32-none.sh -- two ways to give tl.dot no precision differ.
#
# allow_tf32=None means ieee, input_precision=None means tf32, as does leaving
# out both.  A flag known only at run time always means tf32, whatever its
# value.
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
def product(a, b, c, flag, HOW: tl.constexpr):
    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    x, y = tl.load(a + i), tl.load(b + i)
    if HOW == 0:
        z = tl.dot(x, y)
    elif HOW == 1:
        z = tl.dot(x, y, input_precision=None)
    elif HOW == 2:
        z = tl.dot(x, y, allow_tf32=None)
    else:
        z = tl.dot(x, y, allow_tf32=flag)
    tl.store(c + i, z)


def precision(how):
    kernel = triton.compile(
        ASTSource(product, {"a": "*fp32", "b": "*fp32", "c": "*fp32",
                            "flag": "i1", "HOW": "constexpr"}, {"HOW": how}),
        target=GPUTarget("cuda", 80, 32))
    return "tf32" if ".tf32" in kernel.asm["ptx"] else "ieee"


print("triton", triton.__version__)
seen = [precision(how) for how in range(4)]
for what, result in zip(("nothing", "input_precision=None", "allow_tf32=None",
                         "allow_tf32 at run time"), seen):
    print(f"{what:22} -> {result}")
sys.exit(seen != ["tf32", "tf32", "ieee", "tf32"])
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
