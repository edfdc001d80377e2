#!/bin/sh
# onnxruntime-signed-product.sh -- MatMulInteger is several times slower if the
# left matrix is signed.
#
# The operator takes int8 and uint8 on either side.  With int8 on the right, a
# product of 512x512x512 numbers from 0 to 127 has the same result as int8 and
# as uint8 on the left, but the signed one takes some 18 times as long, though
# adding 128 to the left matrix and correcting the sums would cost little.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
cat > "$work/finding.py" <<'EOF'
import sys
import time
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

print("onnxruntime", onnxruntime.__version__, "onnx", onnx.__version__)
N = 512


def product(kind):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["a", "b"], ["c"])], "g",
        [info("a", kind, [N, N]), info("b", TensorProto.INT8, [N, N])],
        [info("c", TensorProto.INT32, [N, N])])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return lambda a, b: session.run(None, {"a": a, "b": b})[0]


def least_time(run, *args):
    times = []
    for _ in range(9):
        start = time.perf_counter()
        run(*args)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


rng = np.random.default_rng(1)
a = rng.integers(0, 128, (N, N)).astype(np.int8)
b = rng.integers(-128, 128, (N, N)).astype(np.int8)
signed, unsigned = product(TensorProto.INT8), product(TensorProto.UINT8)
same = np.array_equal(signed(a, b), unsigned(a.astype(np.uint8), b))
slow, fast = least_time(signed, a, b), least_time(unsigned, a.astype(np.uint8), b)
print(f"the same result: {same}; int8 {slow:.2f} ms, uint8 {fast:.2f} ms")
sys.exit(not (same and slow > 3 * fast))
EOF
"$work/venv/bin/python" "$work/finding.py"
