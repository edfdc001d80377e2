#!/bin/sh
# llvm-nvptx-int-to-bf16.sh -- LLVM's NVPTX rounds an i32 to bf16 twice.
#
# Before sm_90, sitofp goes through float: 2^30 + 2^22 + 1 first loses its last
# bit, which leaves a tie, and the tie goes down to even; the nearest bf16 is
# above.  From double, LLVM takes care to round to odd in between, and i32 to
# half is one instruction.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  llvmlite==0.50.0 numpy==2.4.6
cat > "$work/finding.py" <<'EOF'
import re
import sys
import llvmlite
import llvmlite.binding as llvm
import numpy as np

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
triple = "nvptx64-nvidia-cuda"
machine = llvm.Target.from_triple(triple).create_target_machine(
    cpu="sm_80", features="+ptx80", opt=3)
print("llvmlite", llvmlite.__version__, "LLVM",
      ".".join(map(str, llvm.llvm_version_info)))


def conversions(operation, source, result):
    module = llvm.parse_assembly(f"""target triple = "{triple}"
      define {result} @f({source} %x) {{
        %y = {operation} {source} %x to {result}
        ret {result} %y
      }}""")
    return re.findall(r"cvt\.\S+", machine.emit_assembly(module))


def to_bf16(bits):
    """The float with these bits, rounded to the nearest bf16, ties to even."""
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


seen = {pair: conversions(*pair) for pair in (
    ("sitofp", "i32", "bfloat"), ("sitofp", "i32", "half"),
    ("fptrunc", "double", "bfloat"))}
for pair, steps in seen.items():
    print(*pair, "->", *steps)

value = 2**30 + 2**22 + 1
bf16 = to_bf16(int(np.float32(value).view(np.uint32)))
twice = int(np.uint32(bf16 << 16).view(np.float32))
print(f"{value} becomes {twice}; {twice + 2**23} is nearer: "
      f"{value - twice} away and {twice + 2**23 - value} away")
steps = seen["sitofp", "i32", "bfloat"]
sys.exit(steps != ["cvt.rn.f32.s32", "cvt.rn.bf16.f32"] or
         value - twice <= twice + 2**23 - value)
EOF
"$work/venv/bin/python" "$work/finding.py"
