#!/bin/sh
# onnxruntime-cast-int4.sh -- ONNX Runtime casts 7.5 to INT4 as -8.
#
# To INT8 a Cast cuts the fraction off.  To INT4 it rounds halves away from
# zero, and what that makes 8 wraps around, although 7.5 cut off is in range.
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
from onnx import TensorProto, helper

values = np.array([2.5, 3.5, -2.5, 6.9, 7.5, -8.5], np.float32)


def cast(name):
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [len(values)])
            for end in ("x", "z")]
    nodes = [helper.make_node("Cast", ["x"], ["y"],
                              to=getattr(TensorProto, name)),
             helper.make_node("Cast", ["y"], ["z"], to=TensorProto.FLOAT)]
    model = helper.make_model(
        helper.make_graph(nodes, "cast", ends[:1], ends[1:]),
        opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": values})[0].astype(int).tolist()


print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
seen = {name: cast(name) for name in ("INT8", "INT4")}
for name, result in seen.items():
    print(f"{values.tolist()} to {name}: {result}")
sys.exit(seen != {"INT8": [2, 3, -2, 6, 7, -8], "INT4": [3, 4, -3, 7, -8, 7]})
EOF
"$work/venv/bin/python" "$work/finding.py"
