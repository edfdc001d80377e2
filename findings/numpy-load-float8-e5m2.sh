#!/bin/sh
# numpy-load-float8-e5m2.sh -- np.load refuses what np.save wrote as e5m2.
#
# ml_dtypes registers float8_e5m2 with NumPy's kind 'f', so the .npy header
# says '<f1', which NumPy's reader does not know.  The other types have kind
# 'V': they come back as raw bytes, without an error and without their type.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0
cat > "$work/finding.py" <<'EOF'
import io
import sys
import ml_dtypes
import numpy as np

print("numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__)


def reload(name):
    file = io.BytesIO()
    np.save(file, np.ones(4, getattr(ml_dtypes, name)))
    file.seek(0)
    try:
        return repr(np.load(file).dtype)
    except ValueError as error:
        return f"ValueError: {error}"


seen = {name: reload(name) for name in
        ("bfloat16", "float8_e4m3fn", "float4_e2m1fn", "float8_e5m2")}
for name, result in seen.items():
    print(f"{name:14} comes back as {result}")
sys.exit(seen != {
    "bfloat16": "dtype('V2')",
    "float8_e4m3fn": "dtype('V1')",
    "float4_e2m1fn": "dtype('V1')",
    "float8_e5m2": "ValueError: descr is not a valid dtype descriptor: '<f1'"})
EOF
"$work/venv/bin/python" "$work/finding.py"
