#!/bin/sh
# ptxas-cluster-arrive.sh -- An arrival with .cluster scope waits for the GPU.
#
# `mbarrier.arrive` at a barrier of another CTA releases, by default, to the
# scope .cta, and ptxas 12.9 makes one SYNCS of it.  With `.release.cluster`
# written out, which the cluster's memory model asks for, a MEMBAR.ALL.GPU and
# an ERRBAR stand in front of it, on sm_90a: as wide as a fence of the whole
# GPU.  The barrier of the own CTA pays the same, `.relaxed.cluster` nothing.
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
ARRIVAL = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry arrival(.param .u32 rank)
{
  .reg .b32 %rank, %bar, %remote;
  .shared .align 8 .b8 bar[8];
  ld.param.u32 %rank, [rank];
  mov.u32 %bar, bar;
  mapa.shared::cluster.u32 %remote, %bar, %rank;
  ARRIVE
  ret;
}
"""
OTHER = "shared::cluster.b64 _, [%remote];"
OWN = "shared::cta.b64 _, [%bar];"
FORMS = {
    "other CTA, as it is": "mbarrier.arrive." + OTHER,
    "other CTA, .relaxed.cluster": "mbarrier.arrive.relaxed.cluster." + OTHER,
    "other CTA, .release.cluster": "mbarrier.arrive.release.cluster." + OTHER,
    "own CTA, .release.cta": "mbarrier.arrive.release.cta." + OWN,
    "own CTA, .release.cluster": "mbarrier.arrive.release.cluster." + OWN,
}


def run(tool, *arguments):
    return subprocess.run([os.path.join(TOOLS, tool), *arguments], check=True,
                          capture_output=True, text=True).stdout


def fences(work, arrive):
    ptx, cubin = os.path.join(work, "x.ptx"), os.path.join(work, "x.cubin")
    with open(ptx, "w") as file:
        file.write(ARRIVAL.replace("ARRIVE", arrive))
    run("ptxas", "-arch=sm_90a", ptx, "-o", cubin)
    sass = run("nvdisasm", "-c", cubin)
    assert sass.count("SYNCS.ARRIVE") == 1
    return sass.count("MEMBAR.ALL.GPU")


print("triton", triton.__version__, *run("ptxas", "--version").split()[-1:])
seen = {name: fences(sys.argv[1], form) for name, form in FORMS.items()}
for name, number in seen.items():
    print(f"{name:28} {number} MEMBAR.ALL.GPU")
sys.exit(list(seen.values()) != [0, 0, 1, 0, 1])
EOF
"$work/venv/bin/python" "$work/finding.py" "$work"
