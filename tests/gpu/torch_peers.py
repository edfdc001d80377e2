"""torch_peers.py -- computes the problems of bench_gpu with PyTorch and Triton.

Triton compiles the very files of the examples.
"""
import gc
import importlib.util
import os
import shutil
import statistics
import tempfile

import torch
import torch.nn.functional as F

DEVICE = "cuda"
MAX_SETS, ROTATED_BYTES = 8, 160 << 20  # as bench_gpu's, beyond any L2
SAMPLE_SECONDS, MAX_LAUNCHES = 300e-6, 30
AHEAD_CYCLES = 2_000_000  # about a millisecond, for the host to run ahead
HALF = torch.float16

# -- Time ---------------------------------------------------------------------


def seconds_of(call, samples, launches):
    """Time a call with CUDA events around `launches` calls; a list of samples.
    A sleep keeps the GPU busy first, since the host's time of a launch is
    measured elsewhere."""
    times = []
    for _ in range(samples):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(AHEAD_CYCLES)
        start.record()
        for _ in range(launches):
            call()
        end.record()
        end.synchronize()
        times.append(1e-3 * start.elapsed_time(end) / launches)
    return times


def launches(call):
    """Count the calls that make a sample long enough; the first call compiles.
    """
    call()
    once = min(seconds_of(call, 3, 1))
    return min(MAX_LAUNCHES, int(SAMPLE_SECONDS / (once + 1e-6)) + 1)


def fastest(calls):
    """Choose the fastest of several configurations; one that fails is left
    out."""
    best, chosen, problem = float("inf"), None, None
    for call in calls:
        try:
            call()
            seconds = statistics.median(seconds_of(call, 3, 1))
        except Exception as error:  # out of resources, say
            problem = error
            continue
        if seconds < best:
            best, chosen = seconds, call
    if not chosen:
        raise problem
    return chosen


def forget():
    gc.collect()
    torch.cuda.empty_cache()


# -- Tensors ------------------------------------------------------------------


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE, dtype=dtype)


def nothing(*shape, dtype=torch.float32):
    return torch.empty(*shape, device=DEVICE, dtype=dtype)


def rotating(make):
    """Call functions by turns, each with tensors of its own; `make` gives a
    function and its tensors."""
    call, tensors = make()
    size = sum(t.numel() * t.element_size() for t in tensors)
    sets = min(MAX_SETS, 1 + ROTATED_BYTES // (size + 1))
    calls, turn = [call] + [make()[0] for _ in range(sets - 1)], [0]

    def next_call():
        turn[0] += 1
        return calls[turn[0] % sets]()
    return next_call


def attention_inputs(size, grad=False):
    shape = (1, size[0], size[1], size[2])
    return [random(*shape, dtype=HALF).requires_grad_(grad) for _ in range(3)]


# -- PyTorch ------------------------------------------------------------------


def torch_add(size, _):
    def make():
        x, y, out = random(size[0]), random(size[0]), nothing(size[0])
        return lambda: torch.add(x, y, out=out), (x, y, out)
    return {"torch": make}


def torch_softmax(size, _):
    def make():
        x, out = random(size[0], size[1]), nothing(size[0], size[1])
        return lambda: torch.softmax(x, 1, out=out), (x, out)
    return {"torch": make}


def torch_layer_norm(size, _):
    def make():
        x, w, b = random(size[0], size[1]), random(size[1]), random(size[1])
        return lambda: F.layer_norm(x, (size[1],), w, b), (x, x)
    return {"torch": make}


def torch_matmul(size, _):
    def make():
        a = random(size[0], size[2], dtype=HALF)
        b = random(size[2], size[1], dtype=HALF)
        out = nothing(size[0], size[1], dtype=HALF)
        return lambda: torch.matmul(a, b, out=out), (a, b, out)
    return {"cuBLAS": make}


def with_cudnn(call):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return call()


def as_chosen(call):
    return call()


BACKENDS = {"cuDNN": with_cudnn, "torch's choice": as_chosen}


def torch_forward(size, causal):
    def maker(backend):
        def make():
            q, k, v = attention_inputs(size)
            return (lambda: backend(lambda: F.scaled_dot_product_attention(
                q, k, v, is_causal=causal))), (q, k, v, q)
        return make
    return {name: maker(backend) for name, backend in BACKENDS.items()}


def torch_backward(size, causal):
    def maker(backend):
        def make():
            q, k, v = attention_inputs(size, grad=True)
            out = backend(lambda: F.scaled_dot_product_attention(
                q, k, v, is_causal=causal))
            grad = torch.randn_like(out)
            return (lambda: torch.autograd.grad(
                out, (q, k, v), grad, retain_graph=True)), (q, k, v, out, grad)
        return make
    return {name: maker(backend) for name, backend in BACKENDS.items()}


# -- Triton -------------------------------------------------------------------


def triton_version():
    try:
        import triton
        return f"Triton {triton.__version__}"
    except Exception as error:
        return f"no Triton: {error}"


def triton_module(examples, name):
    """Import the example's own source as a module for Triton."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, name.replace("-", "_") + ".py")
    shutil.copy(os.path.join(examples, name, name + ".tile"), path)
    spec = importlib.util.spec_from_file_location("example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def triton_add(module, size, _):
    def make():
        x, y, out = random(size[0]), random(size[0]), nothing(size[0])
        grid = ((size[0] + 1023) // 1024,)
        return (lambda: module.vector_add[grid](x, y, out, size[0], 1024),
                (x, y, out))
    return [make]


def triton_softmax(module, size, _):
    def maker(warps):
        def make():
            x, out = random(size[0], size[1]), nothing(size[0], size[1])
            block = 1 << (size[1] - 1).bit_length()
            return (lambda: module.softmax[(size[0],)](
                x, out, size[1], size[1], size[0], size[1], block,
                num_warps=warps)), (x, out)
        return make
    return [maker(warps) for warps in (4, 8, 16)]


def triton_layer_norm(module, size, _):
    def maker(block, warps):
        def make():
            x, out = random(size[0], size[1]), nothing(size[0], size[1])
            w, b = random(size[1]), random(size[1])
            mean, rstd = nothing(size[0]), nothing(size[0])
            return (lambda: module.layer_norm[(size[0],)](
                x, out, w, b, mean, rstd, size[1], size[1], 1e-5, block,
                num_warps=warps)), (x, out)
        return make
    return [maker(1024, 4), maker(2048, 4), maker(4096, 8)]


def triton_matmul(module, size, _):
    m, n, k = size

    def maker(block_m, block_n, block_k, warps, stages):
        def make():
            a, b = random(m, k, dtype=HALF), random(k, n, dtype=HALF)
            c = nothing(m, n, dtype=HALF)
            grid = (-(-m // block_m) * -(-n // block_n),)
            return (lambda: module.matmul[grid](
                a, b, c, m, n, k, k, n, n, block_m, block_n, block_k,
                num_warps=warps, num_stages=stages)), (a, b, c)
        return make
    return [maker(128, 256, 64, 8, 3), maker(128, 128, 64, 4, 4)]


def triton_forward(module, size, causal):
    heads, length, dim = size

    def maker(block_m, block_n, warps, stages):
        def make():
            q, k, v = (random(heads, length, dim, dtype=HALF)
                       for _ in range(3))
            out, lse = torch.empty_like(q), nothing(heads, length)
            grid = (-(-length // block_m), heads)
            return (lambda: module.attention[grid](
                q, k, v, out, lse, dim ** -0.5, length, dim, block_m, block_n,
                causal, num_warps=warps, num_stages=stages)), (q, k, v, out)
        return make
    return [maker(128, 64, 8, 3), maker(64, 64, 4, 3)]


def triton_backward(module, size, causal):
    heads, length, dim = size

    def maker(block_m, block_n, warps, stages):
        def make():
            tensors = [random(heads, length, dim, dtype=HALF)
                       for _ in range(5)]  # q, k, v, d_out, out
            tensors += [torch.zeros(heads, length, device=DEVICE),
                        nothing(heads, length)]  # lse, delta
            tensors += [nothing(heads, length, dim, dtype=HALF)
                        for _ in range(3)]  # dq, dk, dv

            def call():
                for name, block in (("delta", block_m), ("dkdv", block_n),
                                    ("dq", block_m)):
                    grid = (-(-length // block), heads)
                    getattr(module, name)[grid](
                        *tensors, dim ** -0.5, length, dim, block_m, block_n,
                        causal, num_warps=warps, num_stages=stages)
            return call, tensors
        return make
    return [maker(64, 64, 4, 2)]


# -- By family ----------------------------------------------------------------

TORCH = {"vector-add": torch_add, "softmax": torch_softmax,
         "layer-norm": torch_layer_norm, "matmul": torch_matmul,
         "fused-attention": torch_forward,
         "attention-backward": torch_backward}
TRITON = {"vector-add": triton_add, "softmax": triton_softmax,
          "layer-norm": triton_layer_norm, "matmul": triton_matmul,
          "fused-attention": triton_forward,
          "attention-backward": triton_backward}


def makers(examples, problem):
    """Functions by the peer's name, each of which makes the call to time."""
    family = problem["family"]
    size, causal = problem["size"], problem["causal"]

    def by_triton():
        configs = TRITON[family](triton_module(examples, family), size, causal)
        best = fastest_make(configs)
        return rotating(best)
    found = {name: lambda make=make: rotating(make)
             for name, make in TORCH[family](size, causal).items()}
    return found | {"Triton": by_triton}


def fastest_make(configs):
    if len(configs) == 1:
        return configs[0]
    calls = {}
    for make in configs:
        calls[make()[0]] = make
    return calls[fastest(list(calls))]
