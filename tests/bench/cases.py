"""cases.py -- the kernels, types and block sizes that beside_triton.py compares."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
P16, P32 = "*fp16:16", "*fp32:16"
EVERY_TARGET = ("sm_80", "sm_86", "sm_89", "sm_90")


class Case:
    """`args`: a type, or the value of a constexpr, for each parameter."""

    def __init__(self, name, path, kernel, args, warps=4, stages=3,
                 targets=EVERY_TARGET):
        self.name, self.path, self.kernel = name, path, kernel
        self.args, self.warps, self.stages = args, warps, stages
        self.targets = targets
        self.grid, self.sizes = (1, 1, 1), {}
        self.simulated = True

    def launch(self, *grid, **sizes):
        """The simulator runs this grid; `sizes` are of the integer parameters,
        or what an array starts with."""
        self.grid = grid + (1,) * (3 - len(grid))
        self.sizes = sizes
        return self


# examples/embed is left out: `x: *fp32` is no Python, so Triton cannot read it.
def example(name):
    return os.path.join(ROOT, "examples", name, name + ".tile")


def published(name):
    return os.path.join(ROOT, "..", "shared", "kernels", name + ".py")


DOT_TARGETS = ("sm_80", "sm_86", "sm_89")
DIM16 = "i32:16"


def matmul(m, n, k, warps, stages, out=P16, of=P16):
    text = {P16: "", P32: " to fp32", "*bf16:16": " bf16"}[out]
    return Case(f"matmul {m}x{n}x{k}{text}", example("matmul"), "matmul",
                [of] * 2 + [out] + [DIM16] * 6 + [m, n, k, 8], warps, stages,
                DOT_TARGETS).launch(4, M=2 * m, N=2 * n, K=8 * k,
                                    a_stride=8 * k, b_stride=2 * n,
                                    c_stride=2 * n)


# The type that a product of such elements stores.
OUTPUTS = {"fp16": "fp16", "bf16": "bf16", "fp32": "fp32", "fp8e4nv": "fp16",
           "fp8e5": "fp16", "i8": "i32"}


def product(of, by_columns, m, n, k, warps, stages, targets=DOT_TARGETS):
    """`by_columns`: b is read along k, as 8-bit operands are best stored."""
    text = "tf32" if of == "fp32" else of
    text += ", b by columns" if by_columns else ""
    b_strides = [1, DIM16] if by_columns else [DIM16, 1]
    rows, columns, depth = 2 * m, 2 * n, 4 * k
    return Case(f"product {text} {m}x{n}x{k} w{warps} s{stages}",
                os.path.join(HERE, "products.py"), "product",
                [f"*{of}:16"] * 2 + [f"*{OUTPUTS[of]}:16"] + [DIM16] * 4 +
                [1] + b_strides + [DIM16, 1, m, n, k, 8], warps, stages,
                targets).launch(4, M=rows, N=columns, K=depth, a_row=depth,
                                b_row=columns, b_column=depth, c_row=columns)


def product_of_any(of, m, n, k, warps, stages=3, targets=DOT_TARGETS):
    """Sizes and strides have no known divisor; rows are contiguous."""
    rows, columns, depth = 2 * m - 3, 2 * n - 1, 4 * k - 5
    return Case(f"product {of}, any size, {m}x{n}x{k} w{warps} s{stages}",
                os.path.join(HERE, "products.py"), "product",
                [f"*{of}:16"] * 2 + [f"*{OUTPUTS[of]}:16"] + ["i32"] * 4 +
                [1, "i32", 1, "i32", 1, m, n, k, 8], warps, stages,
                targets).launch(4, M=rows, N=columns, K=depth, a_row=depth,
                                b_row=columns, c_row=columns)


def weights(of, by, a_columns, b_columns, m, n, k, warps=4, stages=3):
    """A product of `of` and 8-bit weights; `a_columns`, `b_columns`: a is read
    along m, b along k."""
    text = f"{of} by {by}"
    text += ", a by columns" * a_columns + ", b by columns" * b_columns
    a_strides = [1, DIM16] if a_columns else [DIM16, 1]
    b_strides = [1, DIM16] if b_columns else [DIM16, 1]
    rows, columns, depth = 2 * m, 2 * n, 4 * k
    return Case(f"weights {text} {m}x{n}x{k} w{warps} s{stages}",
                os.path.join(HERE, "products.py"), "product",
                [f"*{of}:16", f"*{by}:16", f"*{of}:16"] + [DIM16] * 3 +
                a_strides + b_strides + [DIM16, 1, m, n, k, 8],
                warps, stages, DOT_TARGETS
                ).launch(4, M=rows, N=columns, K=depth, a_row=depth,
                         a_column=rows, b_row=columns, b_column=depth,
                         c_row=columns)


def quantize(of, to, columns, targets=EVERY_TARGET):
    largest = {"i8": 127.0, "fp8e4nv": 448.0}[to]
    return Case(f"quantize {of} to {to} {columns}",
                os.path.join(HERE, "quantize.py"), "quantize",
                [f"*{of}:16", f"*{to}:16", P32, DIM16, DIM16, largest, columns],
                targets=targets
                ).launch(4, row_stride=columns, columns=columns)


def histogram(bins):
    return Case(f"histogram of 1024, {bins} bins",
                os.path.join(HERE, "histogram.py"), "histogram",
                ["*i32:16", "*i32:16", 1024, bins]).launch(4)


def rotary(of, heads, width):
    return Case(f"rotary {of} {heads}x{width}",
                os.path.join(HERE, "rotary.py"), "rotary",
                [f"*{of}:16"] * 4 + [DIM16, DIM16, "i32", heads, width]
                ).launch(4, x_row=heads * width, angle_row=width // 2,
                         length=2)


def attention(dim, block_m, block_n, causal, warps=4, stages=3):
    text = " causal" if causal else ""
    return Case(f"attention D={dim} {block_m}x{block_n}{text}",
                example("fused-attention"), "attention",
                [P16] * 4 + [P32, "fp32", DIM16, dim, block_m, block_n,
                             causal], warps, stages,
                DOT_TARGETS).launch(256 // block_m, 2, length=256)


def biased(of, block_m):
    """The biases are of that type; three stages of 64 columns."""
    return Case(f"attention D=64 {block_m}x64, {of} bias",
                os.path.join(HERE, "biased.py"), "biased",
                [P16] * 3 + [f"*{of}:16", P16, DIM16, DIM16, 64, block_m, 64],
                targets=DOT_TARGETS).launch(256 // block_m, 2, length=256,
                                            bias_row=256)


CHAIN_TARGETS = ("sm_80", "sm_89")
SUM_TARGETS = ("sm_80", "sm_89", "sm_90")


def paged(dim, block_m, page, loads, stages):
    """Attention over pages whose numbers are in a table; there are four pages.
    """
    text = ", numbers of numbers" if loads == 3 else ""
    return Case(f"paged D={dim} {block_m}x{page} s{stages}{text}",
                os.path.join(HERE, "chains.py"), "paged",
                [P16] * 3 + ["*i32:16"] * 2 + [P32, "i32", dim, block_m, page,
                                               loads], 4, stages, CHAIN_TARGETS
                ).launch(2, pages=5, numbers=[2, 0, 3, 1, 0],
                         table=[1, 3, 0, 2, 1])


def gathered(m, n, k, loads, stages):
    text = ", numbers of numbers" if loads == 3 else ""
    return Case(f"product of listed rows {m}x{n}x{k} s{stages}{text}",
                os.path.join(HERE, "chains.py"), "gathered",
                ["*bf16:16"] * 2 + ["*i32:16"] * 2 + [P32] + [DIM16] * 4 +
                [m, n, k, loads], 4, stages, CHAIN_TARGETS
                ).launch(2, depth=4 * k, a_row=4 * k, b_row=n, out_row=n,
                         numbers=[i * 7 % (4 * k) for i in range(4 * k)],
                         table=[i * 5 % (4 * k) for i in range(4 * k)])


def chains():
    return [paged(128, 64, 128, 2, 3), paged(128, 64, 64, 3, 4),
            gathered(128, 128, 128, 2, 4), gathered(128, 128, 128, 3, 4)]


def persistent(of, m, n, k, targets):
    """FBGEMM's product of fp8 by rows: two programs, four blocks."""
    rows, columns, depth = 2 * m - 3, 2 * n - 16, 3 * k + 16
    return Case(f"persistent product {of} {m}x{n}x{k} w8 s3",
                os.path.join(HERE, "persistent.py"), "scaled",
                [f"*{of}:16"] * 2 + [P32] * 2 + ["*bf16:16", "i32"] +
                [DIM16] * 5 + [m, n, k, 8, 2], 8, 3, targets
                ).launch(2, M=rows, N=columns, K=depth, a_row=depth,
                         b_row=depth, c_row=columns)


def where_greatest(of, *sizes):
    """`sizes`: the size of a vector, or both sizes of a matrix and the axis.
    """
    kernel = "place" if len(sizes) == 1 else "places"
    text = "x".join(map(str, sizes[:2]))
    text += f" along axis {sizes[2]}" if len(sizes) > 2 else ""
    return Case(f"argmax {of} {text}", os.path.join(HERE, "reduced.py"), kernel,
                [f"*{of}:16", "*i32:16", *sizes], targets=("sm_90",)).launch(4)


def column_sums(of, m, n):
    return Case(f"sums of columns {of} {m}x{n}",
                os.path.join(HERE, "reduced.py"), "column_sums",
                [f"*{of}:16", P32, m, n], targets=("sm_90",)).launch(4)


def reduced():
    path = os.path.join(HERE, "reduced.py")
    found = []
    for size in 16, 32:
        found.append(Case(f"sums of a {size}x{size}x{size} block, any strides",
                          path, "cube", [P32] * 2 + ["i32"] * 5 + [size],
                          targets=SUM_TARGETS
                          ).launch(1, s0=1, s1=size + 1, s2=size * (size + 2),
                                   t0=1, t1=size + 3))
    offsets = [0, 32, 33, 33, 90]
    for width in 33, 64:
        found.append(Case(f"softmax of jagged rows, {width} columns", path,
                          "jagged_softmax", [P32, "*i64:16", P32, width, 64,
                                             64], targets=SUM_TARGETS
                          ).launch(4, offsets=offsets))
    for width, rows in (64, 64), (128, 128):
        found.append(Case(f"sums of jagged rows {rows}x{width}", path,
                          "jagged_sum", [P32, "*i64:16", P32, width, rows],
                          targets=SUM_TARGETS).launch(4, offsets=offsets))
    found += [where_greatest(of, *sizes) for of, *sizes in (
        ("fp16", 1024), ("fp16", 64, 64, 0), ("bf16", 64, 64, 0),
        ("i8", 1024), ("i8", 64, 64, 0), ("i64", 64, 256, 1))]
    return found + [column_sums(of, 64, 128) for of in ("bf16", "i8")]


def backward(kernel, causal, targets=DOT_TARGETS):
    text = " causal" if causal else ""
    per_row = [P16] * 5 + [P32] * 2 + [P16] * 3
    return Case(f"attention {kernel} D=64 64x64{text}",
                example("attention-backward"), kernel,
                per_row + ["fp32", DIM16, 64, 64, 64, causal], 4, 2,
                targets).launch(4, 2, length=256)


# Batch, head, row and column of a tensor.
STRIDES = [DIM16, DIM16, DIM16, 1]
ROWS = 256


def stride_sizes(tensors, names, width=64):
    """The strides of two heads; `tensors`: a letter and the name of its rows.
    """
    batch, head = names
    sizes = {}
    for tensor, row in tensors:
        start = f"stride_{tensor}"
        sizes |= {start + batch: 2 * ROWS * width, start + head: ROWS * width,
                  start + row: width}
    return sizes


def attention_fp8():
    """v lies column by column, as the file's host code has it."""
    strides = 2 * STRIDES + [DIM16, DIM16, 1, DIM16] + STRIDES
    sizes = stride_sizes(["qm", "kn", "vn", "om"], "zh")
    sizes |= dict(Z=1, H=2, N_CTX=ROWS, stride_vn=ROWS)
    return Case("published: attention fp8e5",
                published("fused_attention_fwd_bwd"), "_attn_fwd",
                ["*fp8e5:16"] * 3 + ["fp32", P32, P16] + strides +
                ["i32", "i32", DIM16, 64, 64, 64, 1], 4, 3, DOT_TARGETS
                ).launch(ROWS // 64, 2, **sizes)


def published_attention():
    """The sizes are those that the files themselves launch."""
    three = [P16] * 3
    both = published("fused_attention_fwd_bwd")
    loop_strides = [16384, 8192, 64, 1] * 4
    sizes = dict(Z=1, H=2, N_CTX=ROWS)
    forward = stride_sizes(["qm", "kn", "vk", "om"], "zh") | sizes
    flash = stride_sizes([(f"{t}_", "seq") for t in "QKVO"], ["batch", "head"],
                         width=128)
    return [
        Case(f"published: attention{' causal' if stage == 3 else ''}", both,
             "_attn_fwd", three + ["fp32", P32, P16] + 4 * STRIDES +
             ["i32", "i32", DIM16, 64, 64, 64, stage], 4, 3,
             DOT_TARGETS).launch(ROWS // 64, 2, **forward)
        for stage in (1, 3)
    ] + [
        Case("published: attention delta", both, "_attn_bwd_preprocess",
             [P16, P16, P32, "i32", "i32", DIM16, 128, 64]
             ).launch(ROWS // 128, 2, **sizes),
        Case("published: attention backward", both, "_attn_bwd",
             three + ["fp32"] + [P16] * 4 + [P32] * 2 + STRIDES +
             ["i32", DIM16, 32, 128, 128, 32, 2, 64], 4, 3,
             DOT_TARGETS).launch(ROWS // 128, 1, 2, **sizes,
                                 **stride_sizes([("", "tok")], "zh")),
        attention_fp8(),
        Case("published: attention, grid loop",
             published("fused_attention_grid_loop"), "_attn_fwd",
             three + [P32, P16, "fp32"] + loop_strides +
             [2, 2, 128, 64, 32, 64, 1], 4, 2, DOT_TARGETS).launch(2),
        Case("published: flash attention", published("flash_attention_causal"),
             "_attn_fwd", [P32] * 5 + ["fp32"] + 4 * STRIDES +
             [DIM16, DIM16, 1, "i32", 4, 2048, 128, 64, 64], 4, 3,
             DOT_TARGETS).launch(ROWS // 64, 2, BATCH_SIZE=1, **flash,
                                 stride_M_batch=8192, stride_M_head=2048),
    ]


def other_products():
    found = [product("fp32", False, 64, 64, 32, 4, 3),
             product("fp32", False, 128, 128, 32, 8, 3)]
    for by_columns in True, False:
        found += [product("i8", by_columns, 128, 128, 64, 4, 3),
                  product("fp8e4nv", by_columns, 128, 128, 64, 4, 3,
                          ("sm_89",)),
                  product("fp8e5", by_columns, 128, 128, 64, 4, 3,
                          ("sm_80", "sm_86"))]
    return found


def products_of_any():
    return [product_of_any("fp16", 128, 128, 32, 4),
            product_of_any("fp16", 64, 64, 32, 4),
            product_of_any("fp16", 128, 64, 32, 4),
            product_of_any("fp16", 64, 128, 32, 4),
            product_of_any("fp16", 128, 256, 64, 8),
            product_of_any("bf16", 128, 128, 32, 4),
            product_of_any("i8", 128, 128, 64, 4)]


def order(kernel, of, *sizes, to=None):
    """`sizes`: the size of a vector or both sizes of a matrix, then the number
    of elements that stay of a row."""
    text = {"sort": "sort", "top": "topk"}[kernel.split("_")[0]]
    shape = sizes[:2] if kernel.endswith("rows") else sizes[:1]
    left = "".join(f", {k}" for k in sizes[len(shape):])
    return Case(f"{text} {of} {'x'.join(map(str, shape))}{left}",
                os.path.join(HERE, "orders.py"), kernel,
                [f"*{of}:16", f"*{to or of}:16", *sizes],
                targets=("sm_90",)).launch(4)


def orders():
    """topk of fp16 gives fp32."""
    found = []
    for of in "fp32", "i32", "i64", "fp16":
        to = "fp32" if of == "fp16" else of
        found += [order("sort_vector", of, 1024),
                  order("sort_rows", of, 16, 64),
                  order("sort_rows", of, 4, 256),
                  *[order("top_vector", of, 1024, k, to=to)
                    for k in (4, 16, 64)],
                  *[order("top_rows", of, 16, 64, k, to=to)
                    for k in (1, 16)],
                  *[order("top_rows", of, 4, 256, k, to=to)
                    for k in (1, 16)]]
    return found + [Case("erf", os.path.join(HERE, "orders.py"),
                         "error_function", [P32, P32, 1024],
                         targets=("sm_90",)).launch(4)]


def every():
    row_sizes = dict.fromkeys(["columns", "stride", "x_stride", "out_stride"],
                              1024)
    found = [
        Case("vector add", example("vector-add"), "vector_add",
             [P32] * 3 + ["i32:16", 1024]).launch(4, n=4096),
        Case("vector add, any size", example("vector-add"), "vector_add",
             [P32] * 3 + ["i32", 1024]).launch(4, n=4001),
        Case("softmax 1024", example("softmax"), "softmax",
             [P32] * 2 + [DIM16] * 2 + ["i32", DIM16, 1024]
             ).launch(4, rows=4, **row_sizes),
        Case("softmax 1024, any size", example("softmax"), "softmax",
             [P32] * 2 + ["i32"] * 4 + [1024]
             ).launch(4, rows=4, columns=1001, x_stride=1001, out_stride=1001),
        Case("softmax 1024 fp16, any size", example("softmax"), "softmax",
             [P16] * 2 + ["i32"] * 4 + [1024]
             ).launch(4, rows=4, columns=1001, x_stride=1001, out_stride=1001),
        Case("layer norm", example("layer-norm"), "layer_norm",
             [P32] * 6 + [DIM16, DIM16, "fp32", 1024]
             ).launch(4, **row_sizes),
        Case("layer norm, any size", example("layer-norm"), "layer_norm",
             [P32] * 6 + ["i32", "i32", "fp32", 1024]
             ).launch(4, columns=1001, stride=1001),
        Case("row normalize", example("row-normalize"), "row_normalize",
             [P32] * 2 + [DIM16] * 2 + [1024]).launch(4, **row_sizes),
        *orders(),
        *[rotary(of, 32, 128) for of in ("fp16", "bf16", "fp32")],
        *[quantize(of, "i8", 4096) for of in ("fp16", "bf16")],
        quantize("bf16", "fp8e4nv", 4096, ("sm_89", "sm_90")),
        *[histogram(bins) for bins in (64, 512, 4096)],
        *[weights(of, by, False, columns, 128, 128, 64)
          for of, by in (("fp16", "i8"), ("bf16", "i8"), ("bf16", "u8"),
                         ("fp16", "fp8e5"))
          for columns in (False, True)],
        weights("fp16", "fp8e5", True, True, 128, 128, 64),
        weights("bf16", "i8", True, True, 128, 128, 64),
        matmul(128, 128, 32, 4, 3), matmul(64, 64, 32, 4, 3),
        matmul(128, 256, 64, 8, 3),
        matmul(128, 128, 32, 4, 3, P32), matmul(256, 128, 32, 8, 3, P32),
        matmul(128, 128, 32, 4, 3, "*bf16:16", "*bf16:16"),
    ] + other_products() + products_of_any() + [
        attention(64, 128, 64, False), attention(64, 128, 64, True),
        attention(128, 128, 64, False, 8),
        biased("fp16", 128), biased("fp32", 64), biased("fp32", 128),
        backward("delta", False, EVERY_TARGET),
        backward("dkdv", True), backward("dq", True),
        Case("published: add", published("vector_add_softmax"), "add_kernel",
             [P32] * 3 + ["i32:16", 1024]).launch(4, n_elements=4096),
        Case("published: softmax", published("vector_add_softmax"),
             "softmax_kernel",
             [P32] * 2 + [DIM16, DIM16, "i32", DIM16, 1024, 2], 8
             ).launch(4, n_rows=16, n_cols=1024, input_row_stride=1024,
                      output_row_stride=1024),
    ] + published_attention() + chains() + [
        persistent(of, *sizes, targets)
        for of, targets in (("fp8e4nv", ("sm_89",)),
                            ("fp8e5", ("sm_80", "sm_86")))
        for sizes in ((128, 256, 32), (128, 128, 128))
    ] + reduced()
    return [c for c in found if os.path.exists(c.path)]


# -- The tutorials' own configurations ----------------------------------------

# Rows, columns and depth of a block, warps and stages.
PRODUCTS_FP16 = [(128, 256, 64, 8, 3), (64, 256, 32, 4, 4),
                 (128, 128, 32, 4, 4), (128, 64, 32, 4, 4),
                 (64, 128, 32, 4, 4), (128, 32, 32, 4, 4),
                 (64, 32, 32, 2, 5), (32, 64, 32, 2, 5)]
PRODUCTS_FP8 = [(128, 256, 128, 8, 3), (256, 128, 128, 8, 3),
                (256, 64, 128, 4, 4), (64, 256, 128, 4, 4),
                (128, 128, 128, 4, 4), (128, 64, 64, 4, 4),
                (64, 128, 64, 4, 4), (128, 32, 64, 4, 4)]


def attention_of(dim, m, n, warps, stages):
    sizes = dict(Z=1, H=2, N_CTX=ROWS)
    strides = stride_sizes(["qm", "kn", "vk", "om"], "zh", dim)
    return Case(f"attention D={dim} {m}x{n} w{warps} s{stages}",
                published("fused_attention_fwd_bwd"), "_attn_fwd",
                [P16] * 3 + ["fp32", P32, P16] + 4 * STRIDES +
                ["i32", "i32", DIM16, dim, m, n, 1], warps, stages,
                ("sm_80",)).launch(ROWS // m, 2, **sizes, **strides)


def sweep():
    found = [product("fp16", False, *sizes, ("sm_80",))
             for sizes in PRODUCTS_FP16]
    found += [product("fp8e4nv", True, *sizes, ("sm_89",))
              for sizes in PRODUCTS_FP8]
    found += [attention_of(dim, m, n, warps, stages) for dim in (64, 128)
              for m in (64, 128) for n in (32, 64, 128)
              for stages in (2, 3, 4) for warps in (4, 8)
              if n <= dim]  # else the kernel itself refuses
    return [c for c in found if os.path.exists(c.path)]


# -- Groups of four warps ------------------------------------------------------


def published_forward(dim, m, n, stage, warps, stages):
    found = attention_of(dim, m, n, warps, stages)
    found.name += " causal" if stage == 3 else ""
    found.args[-1] = stage
    return found


def published_backward(dim, m, n, warps, stages):
    strides = stride_sizes([("", "tok")], "zh", dim)
    return Case(f"attention backward D={dim} {m}/{n} w{warps} s{stages}",
                published("fused_attention_fwd_bwd"), "_attn_bwd",
                [P16] * 3 + ["fp32"] + [P16] * 4 + [P32] * 2 + STRIDES +
                ["i32", DIM16, m, n, n, m, 2, dim], warps, stages
                ).launch(ROWS // n, 1, 2, Z=1, H=2, N_CTX=ROWS, **strides)


def blocks(kernel, text, of, sizes, warps, stages):
    """A kernel of tensor descriptors.  Triton's kernel makes them in memory
    that a launch gives it, and ours has maps: tests/sim/blocks.sh runs ours.
    """
    arrays = [f"*{of}:16"] * 2 + [f"*{OUTPUTS[of]}:16"]
    if kernel == "attention":
        args = [P16] * 4 + [DIM16] * 2 + ["fp32"]
    else:
        args = arrays + [DIM16] * 3
    name = f"blocks {text} {'x'.join(map(str, sizes[:3]))} w{warps} s{stages}"
    found = Case(name, os.path.join(ROOT, "tests", "sim", "blocks.tile"),
                 kernel, args + list(sizes), warps, stages)
    found.simulated = False
    return found


def all_blocks():
    return [blocks("product", "fp16", "fp16", (128, 128, 64, 0), 4, 3),
            blocks("product", "fp16 by columns", "fp16", (128, 128, 64, 1), 4, 3),
            blocks("product", "fp16", "fp16", (128, 256, 64, 0), 8, 4),
            blocks("product", "fp8 by columns", "fp8e4nv", (128, 256, 128, 1),
                   8, 3),
            blocks("persistent", "fp16 persistent", "fp16",
                   (128, 256, 64, 132), 8, 3),
            blocks("attention", "attention", "fp16", (64, 128, 64), 4, 3),
            blocks("attention", "attention", "fp16", (128, 128, 128), 8, 3),
            blocks("attention", "attention", "fp16", (256, 128, 64), 8, 2)]


def grouped(m, n, k, warps, stages):
    found = Case(f"grouped fp16 {m}x{n}x{k} w{warps} s{stages}",
                 os.path.join(HERE, "grouped.py"), "grouped",
                 ["*i64:16"] * 3 + ["*i32:16"] * 2 + ["i32", 132, m, n, k],
                 warps, stages)
    found.simulated = False
    return found


def limited(m, n, k, terms, warps, stages):
    return Case(f"fp8 sums of {terms} terms {m}x{n}x{k} w{warps} s{stages}",
                os.path.join(HERE, "products.py"), "limited",
                ["*fp8e4nv:16"] * 2 + [P16, DIM16, DIM16, m, n, k, terms],
                warps, stages).launch(1, 1, K=2 * k, stride=n)


def hopper():
    """Products by groups of four warps, from pointers and by descriptors."""
    found = [product("fp16", False, 128, 128, 64, 4, 3),
             product("fp16", False, 128, 256, 64, 8, 4),
             product("fp16", True, 128, 128, 64, 4, 3),
             product("bf16", False, 64, 256, 64, 4, 3),
             product("fp16", False, 64, 128, 64, 8, 3),
             product("fp32", True, 128, 128, 32, 4, 3),
             product("i8", True, 128, 128, 128, 4, 3)]
    found += [published_forward(*sizes)
              for dim, m, n, warps, stages in ((64, 128, 64, 4, 3),
                                               (128, 128, 64, 4, 3),
                                               (128, 128, 128, 8, 3),
                                               (256, 128, 64, 8, 2))
              for sizes in ((dim, m, n, 1, warps, stages),
                            (dim, m, n, 3, warps, stages))]
    found += [published_backward(64, 32, 128, 4, 5),
              published_backward(64, 64, 128, 8, 3),
              published_backward(128, 64, 128, 8, 3)]
    found += all_blocks()
    found += [weights("fp16", by, False, along, m, 128, 64)
              for by, along, m in (("i8", True, 16), ("i8", True, 64),
                                   ("i8", False, 64), ("i8", True, 128),
                                   ("fp8e5", True, 64))]
    found += [limited(128, 128, 128, 32, 4, 3),
              limited(128, 256, 128, 32, 8, 3),
              limited(128, 256, 128, 128, 8, 3)]
    found += [grouped(128, 128, 64, 4, 3), grouped(128, 256, 64, 8, 3)]
    for case in found:
        case.targets = ("sm_90a",)
    return [c for c in found if os.path.exists(c.path)]
