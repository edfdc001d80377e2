#!/bin/sh
# ptxas-maxnreg-bounds.sh -- ptxas takes .maxnreg for a wish outside 24 to 255.
#
# The PTX ISA has the compiler guarantee that the limit is not exceeded.  A
# kernel that keeps 40 values alive gets 24 registers under .maxnreg 16, and
# under 300, which a thread cannot have, no limit at all.  Both are warnings,
# and exit 0.  ptxas is the one in Triton's wheel.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  triton==3.9.0
cat > "$work/finding.py" <<'EOF'
import pathlib
import re
import subprocess
import sys
import triton

folder = pathlib.Path(triton.__file__).parent / "backends/nvidia/bin"
work = pathlib.Path(__file__).parent


def registers(limit):
    names = range(40)
    text = [".version 8.0", ".target sm_80", ".address_size 64",
            f".visible .entry k(.param .u64 p) {limit} {{",
            ".reg .b64 %d<2>; .reg .f32 %f<40>;", "ld.param.u64 %d1, [p];"]
    text += [f"ld.volatile.global.f32 %f{i}, [%d1+{4 * i}];" for i in names]
    text += [f"st.volatile.global.f32 [%d1+{4 * i}], %f{39 - i};"
             for i in names]
    (work / "k.ptx").write_text("\n".join(text + ["ret;", "}"]))
    result = subprocess.run(
        [folder / "ptxas", "-v", "-arch=sm_80", work / "k.ptx",
         "-o", work / "k.cubin"], capture_output=True, text=True, check=True)
    warning = re.findall(r"warning : (.*)", result.stdout + result.stderr)
    used = re.search(r"Used (\d+) reg", result.stdout + result.stderr)
    print(f"{limit or 'no limit':13} {used[1]} registers", *warning)
    return int(used[1])


version = subprocess.run([folder / "ptxas", "--version"], capture_output=True,
                         text=True, check=True).stdout
print("ptxas", re.search(r"V[\d.]+", version)[0], "of triton",
      triton.__version__)
free, low, least, high = map(registers, ("", ".maxnreg 16", ".maxnreg 24",
                                         ".maxnreg 300"))
sys.exit(not (free > 24 and low == least == 24 and high == free))
EOF
"$work/venv/bin/python" "$work/finding.py"
