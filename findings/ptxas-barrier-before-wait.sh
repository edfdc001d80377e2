#!/bin/sh
# ptxas-barrier-before-wait.sh -- A barrier ends the work under a wgmma.
#
# The kernel starts a wgmma, computes 32 exponentials that have nothing to do
# with it, and then waits for its sums.  ptxas 12.9 leaves all exponentials
# ahead of the wait.  With a barrier between the last exponential and the wait,
# be it of the block or of the warp alone, all 32 move behind both: the tensor
# cores work alone, and then the units for exponentials do.
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
NUMBERS = range(32)
KERNEL = """.version 8.5
.target sm_90a
.address_size 64
.visible .entry product(.param .u64 to, .param .u64 left, .param .u64 right)
.reqntid 128
{
  .reg .b32 %lane;
  .reg .b64 %to, %offset, %a, %b;
  .reg .f32 %f<32>, %e<32>;
  ld.param.u64 %to, [to];
  ld.param.u64 %a, [left];
  ld.param.u64 %b, [right];
  mov.u32 %lane, %tid.x;
  mul.wide.u32 %offset, %lane, 256;
  add.s64 %to, %to, %offset;
  BEFORE
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {SUMS}, %a, %b,
    1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  UNDER
  BARRIER
  wgmma.wait_group.sync.aligned 0;
  BEHIND
  ret;
}
"""
BEFORE = "".join(f"mov.f32 %f{i}, 0f00000000;\n"
                 f"ld.global.f32 %e{i}, [%to+{4 * i}];\n" for i in NUMBERS)
UNDER = "".join(f"ex2.approx.ftz.f32 %e{i}, %e{i};\n" for i in NUMBERS)
BEHIND = "".join(f"st.global.f32 [%to+{4 * i}], %f{i};\n"
                 f"st.global.f32 [%to+{128 + 4 * i}], %e{i};\n"
                 for i in NUMBERS)
KERNEL = KERNEL.replace("SUMS", ", ".join(f"%f{i}" for i in NUMBERS))
for name in ("BEFORE", "UNDER", "BEHIND"):
    KERNEL = KERNEL.replace(name, globals()[name])


def run(tool, *arguments):
    return subprocess.run([os.path.join(TOOLS, tool), *arguments], check=True,
                          capture_output=True, text=True).stdout


def behind(work, barrier):
    ptx, cubin = os.path.join(work, "x.ptx"), os.path.join(work, "x.cubin")
    with open(ptx, "w") as file:
        file.write(KERNEL.replace("BARRIER", barrier))
    run("ptxas", "-arch=sm_90a", ptx, "-o", cubin)
    ahead, after = run("nvdisasm", "-c", cubin).split("WARPGROUP.DEPBAR")
    assert "HGMMA" in ahead
    return after.count("MUFU.EX2")


print("triton", triton.__version__, *run("ptxas", "--version").split()[-1:])
forms = ("", "bar.sync 1, 128;", "bar.warp.sync -1;")
seen = {form: behind(sys.argv[1], form) for form in forms}
for form, number in seen.items():
    print(f"{form or 'no barrier':18} {number} of 32 behind the wait")
sys.exit(list(seen.values()) != [0, 32, 32])
EOF
"$work/venv/bin/python" "$work/finding.py" "$work"
