#!/bin/sh
# onnxruntime-cast-e5m2.sh -- ONNX Runtime casts 65504 to e5m2 as NaN.
#
# With saturate=0 what is too large for FLOAT8E5M2 becomes infinity: so says
# ONNX, and so it is of 65536 and over.  Between 61440 and there the fraction
# of the top exponent is rounded up into the code of a NaN.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
cat > "$work/finding.py" <<'EOF'
import sys
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

values = np.array([57344, 61439, 61440, 65504, 65536, 1e6], np.float32)
ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [len(values)])
        for end in ("x", "z")]
nodes = [helper.make_node("Cast", ["x"], ["y"], saturate=0,
                          to=TensorProto.FLOAT8E5M2),
         helper.make_node("Cast", ["y"], ["z"], to=TensorProto.FLOAT)]
model = helper.make_model(
    helper.make_graph(nodes, "cast", ends[:1], ends[1:]),
    opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model)

print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
session = onnxruntime.InferenceSession(model.SerializeToString(),
                                       providers=["CPUExecutionProvider"])
result = session.run(None, {"x": values})[0]
reference = ReferenceEvaluator(model).run(None, {"x": values})[0]
print("x          ", values.tolist())
print("onnxruntime", result.tolist())
print("onnx itself", reference.tolist())
sys.exit(str(result.tolist()) != "[57344.0, 57344.0, nan, nan, inf, inf]" or
         str(reference.tolist()) != "[57344.0, 57344.0, inf, inf, inf, inf]")
EOF
"$work/venv/bin/python" "$work/finding.py"
