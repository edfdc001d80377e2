#!/bin/sh
# ml-dtypes-int8-promotes.sh -- int8 100 times a float4 one is 6.
#
# ml_dtypes has int8 and uint8 promote to its float of eight, six or four bits,
# so arithmetic and np.concatenate cast the integers without a word, saturating
# or rounding.  With float16 NumPy takes int8 to float16, which holds it
# exactly.
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
integers = np.array([100, 127, 17], np.int8)
seen = {}
for name in ("float16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"):
    dtype = getattr(ml_dtypes, name, np.float16)
    product = integers * np.ones(3, dtype)
    joined = np.concatenate([integers, np.ones(1, dtype)])
    seen[name] = [product.astype(float).tolist(), joined.astype(int).tolist()]
    print(f"int8 {integers} * {name} ones -> {product.dtype} {product};"
          f" concatenated: {joined}")
sys.exit(seen != {
    "float16": [[100.0, 127.0, 17.0], [100, 127, 17, 1]],
    "float8_e4m3fn": [[96.0, 128.0, 16.0], [96, 128, 16, 1]],
    "float8_e5m2": [[96.0, 128.0, 16.0], [96, 128, 16, 1]],
    "float4_e2m1fn": [[6.0, 6.0, 6.0], [6, 6, 6, 1]]})
EOF
"$work/venv/bin/python" "$work/finding.py"
