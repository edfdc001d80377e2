#!/bin/sh
# ml-dtypes-e8m0-zero.sh -- ones of float8_e8m0fnu add up to NaN.
#
# The type of MX scales has no zero: ml_dtypes makes it NaN, which no longer is
# zero for NumPy.  NumPy's sums start at zero, so that they are NaN although the
# type has the 4 that four ones make; a range from zero loses 2 and 4 as well.
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
e8m0 = ml_dtypes.float8_e8m0fnu
ones = np.ones(4, e8m0)
seen = {
    "sum of four ones": ones.sum(),
    "the last of their cumsum": np.cumsum(ones)[-1],
    "median of 1, 2, 4": np.median(np.array([1, 2, 4], e8m0)),
    "arange(5)": np.arange(5, dtype=e8m0),
    "count_nonzero of zeros(3)": np.count_nonzero(np.zeros(3, e8m0)),
}
for what, result in seen.items():
    print(f"{what}: {result}")
sys.exit([str(result) for result in seen.values()] !=
         ["nan", "4", "nan", "[nan 1 nan nan nan]", "3"])
EOF
"$work/venv/bin/python" "$work/finding.py"
