#!/bin/sh
# ptxas-tma-one-thread.sh -- One thread's copies become loops over a warp.
#
# A branch that only thread 0 takes has one lane, yet ptxas 12.9 wraps each
# cp.async.bulk.tensor behind `tid.x == 0` in a loop over the lanes that are
# left.  Behind elect.sync, or `laneid == 0`, the same copies stand alone.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.8.0
cat > "$work/finding.py" <<'EOF'
import os
import subprocess
import sys
import triton

TOOLS = os.path.join(os.path.dirname(triton.__file__), "backends/nvidia/bin")
COPIES = """.version 8.5
.target sm_90a
.address_size 64
.visible .entry copies(.param .u64 map, .param .u32 size)
{
  .reg .pred %one, %more;
  .reg .b32 %thread, %lane, %x, %size, %tile, %bar;
  .reg .b64 %map;
  .shared .align 128 .b8 tile[1024];
  .shared .align 8 .b8 bar[8];
  ld.param.u64 %map, [map];
  ld.param.u32 %size, [size];
  mov.u32 %tile, tile;
  mov.u32 %bar, bar;
  mov.u32 %thread, %tid.x;
  mov.u32 %lane, %laneid;
  mov.u32 %x, 0;
  CHOICE
  @!%one bra DONE;
NEXT:
  cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes
    [%tile], [%map, {%x}], [%bar];
  add.u32 %x, %x, 256;
  setp.lt.u32 %more, %x, %size;
  @%more bra NEXT;
DONE:
  ret;
}
"""
FIRST_WARP = "setp.lt.and.u32 %one, %thread, 32, %one;"
CHOICES = {
    "tid.x == 0": "setp.eq.u32 %one, %thread, 0;",
    "laneid == 0": "setp.eq.u32 %one, %lane, 0; " + FIRST_WARP,
    "elect.sync": "elect.sync %lane|%one, -1; " + FIRST_WARP,
}


def run(tool, *arguments):
    return subprocess.run([os.path.join(TOOLS, tool), *arguments], check=True,
                          capture_output=True, text=True).stdout


def count(work, choice):
    ptx, cubin = os.path.join(work, "x.ptx"), os.path.join(work, "x.cubin")
    with open(ptx, "w") as file:
        file.write(COPIES.replace("CHOICE", choice))
    run("ptxas", "-arch=sm_90a", ptx, "-o", cubin)
    sass = run("nvdisasm", "-c", cubin)
    return sass.count("UTMALDG"), sass.count("BRA.U.ANY")


print("triton", triton.__version__, *run("ptxas", "--version").split()[-1:])
seen = {name: count(sys.argv[1], choice) for name, choice in CHOICES.items()}
for name, (copies, loops) in seen.items():
    print(f"{name:12} {copies} copies, {loops} loops around them")
sys.exit(not (seen["tid.x == 0"][1] == seen["tid.x == 0"][0] > 0 and
              seen["laneid == 0"][1] == seen["elect.sync"][1] == 0))
EOF
"$work/venv/bin/python" "$work/finding.py" "$work"
