# other_peers.py -- the operations of onnxruntime and oneDNN that do what a row of
# beside_torch.py does.
#
# Each function takes torch's tensors and returns a dictionary: by the name of a
# library, a function without arguments that writes the last tensor.  A library that
# is not installed has no entry.  onnxruntime needs the package onnx, too.  oneDNN
# is the library libdnnl.so.3, or $DNNL.  Both run in the thread that calls them, if
# OMP_NUM_THREADS is 1.
import ctypes
import os

import torch

try:
    import onnx
    import onnxruntime
except ImportError:
    onnx = onnxruntime = None

OPSET, ONNX_VERSION = 23, 11
CPU, INFERENCE, IN_ORDER = 1, 96, 1  # of oneDNN's enums, as all below
ACCURATE, ADD, SUM = 0x30000, 0x1FFF0, 0x2FFF4
UNIMPLEMENTED = 3
SOURCE, SOURCE_1, WEIGHTS, OUT = 1, 2, 33, 17
DNNL_TYPES = {torch.float16: 1, torch.bfloat16: 2, torch.float32: 3, torch.int32: 4,
              torch.int8: 5}


# -- onnxruntime ---------------------------------------------------------------


def onnx_type(tensor):
    return onnx.helper.np_dtype_to_tensor_dtype(tensor.numpy().dtype)


def onnx_model(op, domain, inputs, outputs, constants, attributes):
    infos = [[onnx.helper.make_tensor_value_info(name, onnx_type(x), list(x.shape))
              for name, x in side.items()] for side in (inputs, outputs)]
    held = [onnx.numpy_helper.from_array(x.numpy(), name) for name, x in constants.items()]
    node = onnx.helper.make_node(op, [*inputs, *constants], list(outputs), domain=domain,
                                 **attributes)
    graph = onnx.helper.make_graph([node], op, *infos, held)
    sets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=sets, ir_version=ONNX_VERSION)


class Bound:
    def __init__(self, session, binding, tensors):
        self.session, self.binding = session, binding
        self.tensors = tensors  # the binding has only their addresses

    def __call__(self):
        self.session.run_with_iobinding(self.binding)


def of_onnx(op, inputs, outputs, constants=(), domain="", **attributes):
    """One operation over `inputs`, then `constants`, which it may pack beforehand."""
    if not onnxruntime:
        return {}
    named = [{f"{side}{i}": x for i, x in enumerate(tensors)}
             for side, tensors in zip("xyc", (inputs, outputs, constants))]
    model = onnx_model(op, domain, *named, attributes)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for bind, tensors in zip((binding.bind_input, binding.bind_output), named):
        for name, x in tensors.items():
            bind(name, "cpu", 0, x.numpy().dtype, list(x.shape), x.data_ptr())
    return {"onnxruntime": Bound(session, binding, named)}


# -- oneDNN ----------------------------------------------------------------------


class Unimplemented(Exception):
    """On this processor, or within the limit of ONEDNN_MAX_CPU_ISA."""


class OneDnn:
    def __init__(self, library):
        self.library = library
        self.engine = self.create("engine", CPU, ctypes.c_size_t(0))
        self.stream = self.create("stream", self.engine, IN_ORDER)

    def call(self, name, *args):
        status = getattr(self.library, f"dnnl_{name}")(*args)
        if status == UNIMPLEMENTED:
            raise Unimplemented(name)
        if status:
            raise RuntimeError(f"dnnl_{name}: status {status}")

    def create(self, kind, *args):
        handle = ctypes.c_void_p()
        self.call(f"{kind}_create", ctypes.byref(handle), *args)
        return handle

    def description(self, tensor):
        words = [(ctypes.c_int64 * tensor.dim())(*x) for x in (tensor.shape, tensor.stride())]
        handle = ctypes.c_void_p()
        self.call("memory_desc_create_with_strides", ctypes.byref(handle), tensor.dim(),
                  words[0], DNNL_TYPES[tensor.dtype], words[1])
        return handle

    def function(self, kind, tensors, before=(), after=()):
        """A primitive over `tensors`, by argument; None stands for one left out."""
        known = {arg: (x, self.description(x)) for arg, x in tensors.items() if x is not None}
        descriptions = [known[arg][1] if arg in known else None for arg in tensors]
        primitive = self.create("primitive", self.create(
            f"{kind}_primitive_desc", self.engine, *before, *descriptions, *after, None))
        args = (Argument * len(known))(*(
            Argument(arg, self.create("memory", description, self.engine,
                                      ctypes.c_void_p(x.data_ptr())))
            for arg, (x, description) in known.items()))
        execute, count = self.library.dnnl_primitive_execute, len(known)
        return lambda: known and execute(primitive, self.stream, count, args)


class Argument(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_int), ("memory", ctypes.c_void_p)]


def load_one_dnn():
    try:
        return OneDnn(ctypes.CDLL(os.environ.get("DNNL", "libdnnl.so.3")))
    except OSError:
        return None


ONE_DNN = load_one_dnn()


def of_one_dnn(*args):
    try:
        return {"oneDNN": ONE_DNN.function(*args)} if ONE_DNN else {}
    except Unimplemented:
        return {}


# -- Rows ------------------------------------------------------------------------


def matmul(a, b, c):
    out = torch.empty_like(c)
    found = of_one_dnn("matmul", {SOURCE: a, WEIGHTS: b, 0: None, OUT: out})
    if a.dtype != torch.bfloat16:
        # Its code for signed left operands takes ten times as long: 62 ms for 1024³.
        whole = a.dtype == torch.int8
        left, op = (a.view(torch.uint8), "MatMulInteger") if whole else (a, "MatMul")
        found |= of_onnx(op, [left, b], [out])
    return found


def attention(q, k, v, causal):
    if q.dtype == torch.bfloat16:
        return {}
    return of_onnx("Attention", [q, k, v], [torch.empty_like(q)], is_causal=int(causal))


def weights(x, w, scales, out, bits, group):
    """Those of one scale for each `group` of a row of w, around the middle of the
    unsigned numbers."""
    if x.dtype == torch.bfloat16:
        return {}
    rows, blocks = len(w), x.shape[1] // group
    w = w.view(torch.uint8).reshape(rows, blocks, group * bits // 8)
    scales = scales.reshape(rows, blocks).contiguous()
    return of_onnx("MatMulNBits", [x], [torch.empty_like(out)], [w, scales],
                   domain="com.microsoft", K=x.shape[1], N=rows, bits=bits, block_size=group)


def add(x, y):
    out = torch.empty_like(x)
    return (of_onnx("Add", [x, y], [out]) |
            of_one_dnn("binary", {SOURCE: x, SOURCE_1: y, OUT: out}, [ADD]))


def softmax(x):
    out = torch.empty_like(x)
    return (of_onnx("Softmax", [x], [out], axis=1) |
            of_one_dnn("softmax_forward", {SOURCE: x, OUT: out}, [INFERENCE, ACCURATE], [1]))


def over_rows(kind, x, k):
    """Those that onnxruntime has: of topk, `k` numbers and their places."""
    axis = torch.tensor([1])
    if kind == "sum":
        out = torch.empty(len(x), 1)
        none = ctypes.c_float(0)
        return (of_onnx("ReduceSum", [x], [out], [axis]) |
                of_one_dnn("reduction", {SOURCE: x, OUT: out}, [SUM], [none, none]))
    if kind == "cumsum":
        return of_onnx("CumSum", [x], [torch.empty_like(x)], [axis[0]])
    if kind == "topk":
        out = torch.empty(len(x), k)
        return of_onnx("TopK", [x], [out, out.long()], [torch.tensor([k])])
    return {}
