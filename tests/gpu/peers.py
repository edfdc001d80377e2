#!/usr/bin/env python3
"""peers.py BENCH EXAMPLES -- our kernels against PyTorch and Triton, by turns.

Drives `bench_gpu --serve`, and measures each peer between its measurements:
one JSON object a line.  Triton compiles the very files of EXAMPLES.
"""
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

ROUNDS, SAMPLES, SETS = 7, 3, 3


class Ours:
    def __init__(self, bench):
        self.process = subprocess.Popen([bench, "--serve"], text=True,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.send(line)
        return json.loads(self.process.stdout.readline())

    def problems(self):
        self.send("list")
        found = []
        while problem := json.loads(self.process.stdout.readline()):
            found.append(problem)
        return found


def seconds_of(call, count):
    """Medians of nothing: `count` times of one call each, by CUDA events."""
    times = []
    for _ in range(count):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(1e-3 * start.elapsed_time(end))
    return times


def rotating(make):
    """Calls one of SETS functions by turns, each with tensors of its own."""
    calls, turn = [make() for _ in range(SETS)], [0]

    def call():
        turn[0] += 1
        return calls[turn[0] % SETS]()
    return call


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def torch_add(size, _):
    def make():
        x, y = random(size[0]), random(size[0])
        out = torch.empty_like(x)
        return lambda: torch.add(x, y, out=out)
    return {"torch": rotating(make)}


def torch_softmax(size, _):
    def make():
        x = random(size[0], size[1])
        return lambda: torch.softmax(x, 1)
    return {"torch": rotating(make)}


def torch_layer_norm(size, _):
    def make():
        x, w, b = random(size[0], size[1]), random(size[1]), random(size[1])
        return lambda: F.layer_norm(x, (size[1],), w, b)
    return {"torch": rotating(make)}


def torch_matmul(size, _):
    def make():
        a = random(size[0], size[2], dtype=torch.float16)
        b = random(size[2], size[1], dtype=torch.float16)
        out = torch.empty(size[0], size[1], device="cuda", dtype=torch.float16)
        return lambda: torch.matmul(a, b, out=out)
    return {"cuBLAS": rotating(make)}


def attention_inputs(size, grad=False):
    shape = (1, size[0], size[1], size[2])
    return [random(*shape, dtype=torch.float16).requires_grad_(grad)
            for _ in range(3)]


def with_cudnn(call):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return call()


def torch_forward(size, causal):
    def make():
        q, k, v = attention_inputs(size)
        return lambda: F.scaled_dot_product_attention(q, k, v,
                                                      is_causal=causal)
    call = rotating(make)
    return {"cuDNN": lambda: with_cudnn(call), "torch's choice": call}


def torch_backward(size, causal):
    def make():
        q, k, v = attention_inputs(size, grad=True)
        out = with_cudnn(lambda: F.scaled_dot_product_attention(
            q, k, v, is_causal=causal))
        grad = torch.randn_like(out)
        return lambda: torch.autograd.grad(out, (q, k, v), grad,
                                           retain_graph=True)
    return {"cuDNN": rotating(make)}


def triton_module(examples, name):
    """The example's own source, as a module that Triton can read."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, name.replace("-", "_") + ".py")
    shutil.copy(os.path.join(examples, name, name + ".tile"), path)
    spec = importlib.util.spec_from_file_location("example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def triton_peer(examples, family, size, causal):
    module = triton_module(examples, family)
    half = torch.float16
    if family == "vector-add":
        def make():
            x, y = random(size[0]), random(size[0])
            out = torch.empty_like(x)
            grid = ((size[0] + 1023) // 1024,)
            return lambda: module.vector_add[grid](x, y, out, size[0], 1024)
    elif family == "softmax":
        def make():
            x = random(size[0], size[1])
            out = torch.empty_like(x)
            block = 1 << (size[1] - 1).bit_length()
            return lambda: module.softmax[(size[0],)](
                x, out, size[1], size[1], size[0], size[1], block, num_warps=8)
    elif family == "matmul":
        def make():
            m, n, k = size
            a, b = random(m, k, dtype=half), random(k, n, dtype=half)
            c = torch.empty(m, n, device="cuda", dtype=half)
            grid = ((m // 128) * (n // 256),)
            return lambda: module.matmul[grid](a, b, c, m, n, k, k, n, n, 128,
                                               256, 64, num_warps=8,
                                               num_stages=3)
    elif family == "fused-attention":
        def make():
            q, k, v = attention_inputs(size)
            out = torch.empty_like(q)
            lse = torch.empty(size[0], size[1], device="cuda")
            grid = (size[1] // 128, size[0])
            return lambda: module.attention[grid](
                q, k, v, out, lse, size[2] ** -0.5, size[1], size[2], 128, 64,
                causal, num_warps=8, num_stages=2)
    else:
        return {}
    return {"Triton": rotating(make)}


TORCH = {"vector-add": torch_add, "softmax": torch_softmax,
         "layer-norm": torch_layer_norm, "matmul": torch_matmul,
         "fused-attention": torch_forward,
         "attention-backward": torch_backward}


def peers_of(examples, problem):
    size, causal = problem["size"], problem["causal"]
    family = problem["family"]
    found = {}
    for make in (lambda: TORCH[family](size, causal),
                 lambda: triton_peer(examples, family, size, causal)):
        try:
            for name, call in make().items():
                call()
                torch.cuda.synchronize()
                found[name] = call
        except Exception as error:  # a peer that cannot is left out
            print(f"{problem['name']}: {error}", file=sys.stderr)
    return found


def compare(ours, examples, problem):
    opened = ours.ask(f"open {problem['family']} {problem['number']}")
    if "error" in opened:
        print(json.dumps({**opened, "name": problem["name"], "ok": False}))
        return
    peers = peers_of(examples, problem)
    rounds, times = [], {name: [] for name in peers}
    for _ in range(ROUNDS):
        rounds.append(ours.ask(f"time {SAMPLES}"))
        for name, call in peers.items():
            times[name].append(statistics.median(seconds_of(call, SAMPLES)))
    ours.ask("close")
    tell(rounds, times)


def tell(rounds, times):
    result = sorted(rounds, key=lambda r: r["ours_ms"])[ROUNDS // 2]
    result["ok"] = all(r["ok"] for r in rounds)
    if not times:
        print(json.dumps(result), flush=True)
    for name, seconds in times.items():
        ratios = sorted(1e3 * s / r["ours_ms"]
                        for s, r in zip(seconds, rounds))
        quarter = ROUNDS // 4
        print(json.dumps({
            **result, "peer": name,
            "peer_ms": round(1e3 * statistics.median(seconds), 6),
            "ratio": round(ratios[ROUNDS // 2], 3),
            "ratio_quartiles": [round(ratios[quarter], 3),
                                round(ratios[-1 - quarter], 3)],
        }), flush=True)


def main():
    bench, examples = sys.argv[1:3]
    ours = Ours(bench)
    for problem in ours.problems():
        compare(ours, examples, problem)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
