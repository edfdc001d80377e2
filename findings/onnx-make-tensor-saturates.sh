#!/bin/sh
# onnx-make-tensor-saturates.sh -- onnx has two roundings into float8.
#
# helper.make_tensor saturates; numpy_helper.from_array of the same numbers
# cast by NumPy overflows to NaN or infinity.  For the scales of MX,
# make_tensor drops the sign and takes zero for the least power of two, where
# the cast makes NaN.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0 onnx==1.23.2
cat > "$work/finding.py" <<'EOF'
import sys
import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

print("onnx", onnx.__version__, "numpy", np.__version__,
      "ml_dtypes", ml_dtypes.__version__)
values = [1e6, -1e6, 0.0]
seen = {}
for name in ("FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT8E8M0"):
    code = getattr(onnx.TensorProto, name)
    dtype = helper.tensor_dtype_to_np_dtype(code)
    made = helper.make_tensor("made", code, [3], values)
    cast = numpy_helper.from_array(np.array(values, np.float32).astype(dtype))
    seen[name] = [str(numpy_helper.to_array(t)) for t in (made, cast)]
    print(f"{name:12} of {values}: make_tensor {seen[name][0]}, "
          f"from_array {seen[name][1]}")
sys.exit(seen != {
    "FLOAT8E4M3FN": ["[448 -448 0]", "[nan nan 0]"],
    "FLOAT8E5M2": ["[57344 -57344 0]", "[inf -inf 0]"],
    "FLOAT8E8M0": ["[1.04858e+06 1.04858e+06 5.87747e-39]",
                   "[1.04858e+06 nan nan]"]})
EOF
"$work/venv/bin/python" "$work/finding.py"
