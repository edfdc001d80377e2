#!/bin/sh
# gguf-q4-0-signs.sh -- Q4_0 cannot hold 1 and -1 in one block.
#
# The scale is an eighth of the value of the largest magnitude, sign and all,
# and the codes go from -8 to 7.  So that value is exact and its negative an
# eighth short; of equal magnitudes, which is which depends on the one that
# comes first.  Q8_0, whose codes are symmetric, treats both alike.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 gguf==0.19.0
cat > "$work/finding.py" <<'EOF'
import sys
from importlib.metadata import version
import numpy as np
from gguf import GGMLQuantizationType, quants

print("gguf", version("gguf"), "numpy", np.__version__)


def stored(first, kind):
    block = np.tile(np.array([first, -first], np.float32), 16)
    kind = GGMLQuantizationType[kind]
    pair = quants.dequantize(quants.quantize(block, kind), kind)[:2]
    print(f"{kind.name} of {block[:2].tolist()} ... -> {pair.tolist()}")
    return pair.tolist()


ok = stored(1, "Q4_0") == [1, -0.875] and stored(-1, "Q4_0") == [-1, 0.875]
pair = stored(1, "Q8_0")
sys.exit(not (ok and pair[0] == -pair[1]))
EOF
"$work/venv/bin/python" "$work/finding.py"
