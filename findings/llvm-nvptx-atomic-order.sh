#!/bin/sh
# llvm-nvptx-atomic-order.sh -- LLVM's NVPTX forgets the order of an atomicrmw.
#
# A seq_cst atomicrmw becomes the same PTX as a monotonic one: an atom without
# .acquire or .release, which PTX takes for relaxed, and no fence around it.  A
# cmpxchg keeps its order.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  llvmlite==0.50.0
cat > "$work/finding.py" <<'EOF'
import sys
import llvmlite
import llvmlite.binding as llvm

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
triple = "nvptx64-nvidia-cuda"
machine = llvm.Target.from_triple(triple).create_target_machine(
    cpu="sm_90", features="+ptx80", opt=3)
print("llvmlite", llvmlite.__version__, "LLVM",
      ".".join(map(str, llvm.llvm_version_info)))


def memory_ops(operation):
    module = llvm.parse_assembly(f"""target triple = "{triple}"
      define void @f(ptr addrspace(1) %p, i32 %v) {{
        %old = {operation}
        ret void
      }}""")
    return [line.strip() for line in machine.emit_assembly(module).splitlines()
            if "atom" in line or "fence" in line]


orders = ("monotonic", "acquire", "release", "acq_rel", "seq_cst")
added = [memory_ops(f"atomicrmw add ptr addrspace(1) %p, i32 %v {order}")
         for order in orders]
for order, ops in zip(orders, added):
    print(f"atomicrmw {order:9} ->", *ops)
swapped = memory_ops(
    "cmpxchg ptr addrspace(1) %p, i32 0, i32 %v acq_rel acquire")
print("cmpxchg acq_rel     ->", *swapped)
same = all(ops == added[0] and len(ops) == 1 for ops in added)
relaxed = not any(word in added[0][0] for word in ("acq", "rel", "sc."))
sys.exit(not (same and relaxed and "acq_rel" in swapped[0]))
EOF
"$work/venv/bin/python" "$work/finding.py"
