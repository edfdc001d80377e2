#!/bin/sh
# triton-default-dot-precision.sh -- the option default_dot_input_precision does
# not change the precision of tl.dot.
#
# The option is taken, but a dot without input_precision stays tf32 under "ieee".
# allowed_dot_input_precisions decides: without tf32 the dot is ieee.
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
def product(a, b, c):
    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(c + i, tl.dot(tl.load(a + i), tl.load(b + i)))


def precision(options):
    kernel = triton.compile(
        ASTSource(product, {"a": "*fp32", "b": "*fp32", "c": "*fp32"}),
        target=GPUTarget("cuda", 80, 32), options=options)
    found = "tf32" if ".tf32" in kernel.asm["ptx"] else "ieee"
    print(options, "->", found)
    return found


print("triton", triton.__version__)
seen = [precision({"default_dot_input_precision": "tf32"}),
        precision({"default_dot_input_precision": "ieee"}),
        precision({"allowed_dot_input_precisions": ("ieee",)})]
sys.exit(seen != ["tf32", "tf32", "ieee"])
EOF
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
