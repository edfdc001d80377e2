#!/bin/sh
# ml-dtypes-sort-nan.sh -- one NaN keeps np.sort from sorting bfloat16.
#
# NumPy puts NaN last for its own floats.  The types of ml_dtypes compare with
# a plain '<', false for NaN on either side, so the numbers around a NaN stay
# where they were.  np.unique relies on the order: of float8_e5m2, whose kind
# is 'f', a NaN at the end makes it look for the first one by bisection and cut
# there.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0
cat > "$work/finding.py" <<'EOF'
import sys
import ml_dtypes
import numpy as np

print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__)
values = [3, np.nan, 1, 2, np.nan]
seen = {}
for name in ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"):
    array = np.array(values, getattr(ml_dtypes, name, np.float16))
    seen[name] = [str(np.sort(array)), str(np.unique(array))]
    print(f"{name:13} sort {seen[name][0]:22} unique {seen[name][1]}")
sys.exit(seen != {
    "float16": ["[ 1.  2.  3. nan nan]", "[ 1.  2.  3. nan]"],
    "bfloat16": ["[3 nan 1 2 nan]", "[3 nan 1 2 nan]"],
    "float8_e4m3fn": ["[3 nan 1 2 nan]", "[3 nan 1 2 nan]"],
    "float8_e5m2": ["[3 nan 1 2 nan]", "[3]"]})
EOF
"$work/venv/bin/python" "$work/finding.py"
