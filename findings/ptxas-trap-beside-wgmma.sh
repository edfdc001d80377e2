#!/bin/sh
# ptxas-trap-beside-wgmma.sh -- A trap in a loop of wgmmas costs it the uniform registers.
#
# The loop multiplies by two wgmmas a trip, whose two descriptors go on by 2.
# A check stands in front of them, and ends the kernel if a value from memory
# is wrong.  Where it ends by `exit`, ptxas 12.9 keeps the descriptors in
# uniform registers.  Where it ends by `trap`, they are values of each thread:
# each of the two wgmmas is given them by four R2UR, and a WARPSYNC stands in
# front.  The trap itself is behind the kernel, and a branch leads there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.9.0
cat > "$work/finding.py" <<'EOF'
import os
import subprocess
import sys
import triton

TOOLS = os.path.join(os.path.dirname(triton.__file__), "backends/nvidia/bin")
SUMS = [f"%f{i}" for i in range(32)]
WGMMA = ("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
         + ", ".join(SUMS) + "}, %a, %b, 1, 1, 1, 0, 0;\n")
KERNEL = """.version 8.5
.target sm_90a
.address_size 64
.visible .entry product(.param .u64 to, .param .u32 trips,
                        .param .u64 left, .param .u64 right)
.reqntid 128
{
  .reg .pred %wrong, %more;
  .reg .b32 %lane, %word, %trip, %trips;
  .reg .b64 %to, %offset, %a, %b;
  .reg .f32 %f<32>;
  ld.param.u64 %to, [to];
  ld.param.u32 %trips, [trips];
  ld.param.u64 %a, [left];
  ld.param.u64 %b, [right];
  mov.u32 %lane, %tid.x;
  mul.wide.u32 %offset, %lane, 128;
  add.s64 %to, %to, %offset;
  mov.u32 %trip, 0;
  ZEROS
LOOP:
  ld.volatile.global.u32 %word, [%to];
  setp.eq.u32 %wrong, %word, 12345;
  @%wrong STOP;
  wgmma.fence.sync.aligned;
  WGMMA
  WGMMA
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.s64 %a, %a, 2;
  add.s64 %b, %b, 2;
  add.u32 %trip, %trip, 1;
  setp.lt.u32 %more, %trip, %trips;
  @%more bra LOOP;
  STORES
  ret;
}
"""
KERNEL = KERNEL.replace("WGMMA", WGMMA)
KERNEL = KERNEL.replace("ZEROS", "\n".join(f"mov.f32 {f}, 0f00000000;"
                                           for f in SUMS))
KERNEL = KERNEL.replace("STORES", "\n".join(
    f"st.global.f32 [%to+{4 * i}], {f};" for i, f in enumerate(SUMS)))


def run(tool, *arguments):
    return subprocess.run([os.path.join(TOOLS, tool), *arguments], check=True,
                          capture_output=True, text=True).stdout


def counts(work, stop):
    ptx, cubin = os.path.join(work, "x.ptx"), os.path.join(work, "x.cubin")
    with open(ptx, "w") as file:
        file.write(KERNEL.replace("STOP", stop))
    run("ptxas", "-arch=sm_90a", ptx, "-o", cubin)
    sass = run("nvdisasm", "-c", cubin)
    assert sass.count("HGMMA") == 2
    return sass.count("R2UR"), sass.count("WARPSYNC")


print("triton", triton.__version__, *run("ptxas", "--version").split()[-1:])
seen = {stop: counts(sys.argv[1], stop) for stop in ("exit", "trap")}
for stop, (moves, syncs) in seen.items():
    print(f"@%wrong {stop}: {moves} R2UR, {syncs} WARPSYNC")
sys.exit(list(seen.values()) != [(0, 0), (8, 1)])
EOF
"$work/venv/bin/python" "$work/finding.py" "$work"
