#!/bin/sh
# triton-gather-hopper.sh -- descriptor.gather compiles for Ampere and Blackwell,
# and not for Hopper between them.
#
# sm_80 has no tensor maps: Triton gathers by loads.  sm_100 has gather4, which
# copies four rows by one instruction.  sm_90 has tensor maps without gather4,
# but gets that instruction: ptxas refuses it, with the text of an internal error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.9.0
cat > "$work/finding.py" <<'EOT'
import contextlib
import io
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def rows(base, index, out):
    table = tl.make_tensor_descriptor(base, [1024, 128], [128, 1], [1, 64])
    i = tl.arange(0, 16)
    tile = table.gather(tl.load(index + i), 0)
    tl.store(out + i[:, None] * 64 + tl.arange(0, 64)[None, :], tile)


def compiled(capability):
    source = ASTSource(rows, {"base": "*fp16", "index": "*i32",
                              "out": "*fp16"})
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            kernel = triton.compile(
                source, target=GPUTarget("cuda", capability, 32))
    except Exception as error:
        return f"{type(error).__name__}, gather4: {'gather4' in str(error)}"
    return f"compiled, gather4: {'gather4' in kernel.asm['ptx']}"


print("triton", triton.__version__)
seen = {capability: compiled(capability) for capability in (80, 90, 100)}
for capability, result in seen.items():
    print(f"sm_{capability:<3} -> {result}")
sys.exit(list(seen.values()) != ["compiled, gather4: False",
                                 "PTXASError, gather4: True",
                                 "compiled, gather4: True"])
EOT
export TRITON_CACHE_DIR="$work/cache"
"$work/venv/bin/python" -W ignore "$work/finding.py"
