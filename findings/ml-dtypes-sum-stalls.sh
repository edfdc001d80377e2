#!/bin/sh
# ml-dtypes-sum-stalls.sh -- the mean of a thousand ones is 1/64 in float8.
#
# NumPy takes the mean of float16 in float32.  The types of ml_dtypes are
# summed in themselves, one by one, so a sum of ones stays where one is half a
# unit.  np.dot of the same array adds up in float32; only its result
# overflows, to NaN.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0
cat > "$work/finding.py" <<'EOF'
import sys
import warnings
import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")  # of the overflow in float8_e4m3fn
print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__)
seen = {}
for name in ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"):
    ones = np.ones(1000, getattr(ml_dtypes, name, np.float16))
    seen[name] = [float(x) for x in (ones.sum(), ones.mean(),
                                     np.dot(ones, ones))]
    print(f"{name:13} sum {seen[name][0]:<6} mean {seen[name][1]:<11} "
          f"dot {seen[name][2]}")
sys.exit(repr(seen) != repr({
    "float16": [1000.0, 1.0, 1000.0],
    "bfloat16": [256.0, 0.255859375, 1000.0],
    "float8_e4m3fn": [16.0, 0.015625, float("nan")],
    "float8_e5m2": [8.0, 0.0078125, 1024.0]}))
EOF
"$work/venv/bin/python" "$work/finding.py"
