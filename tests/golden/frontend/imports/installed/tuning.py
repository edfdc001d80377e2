import triton

SIZES = [32, 64]
CONFIGS = [triton.Config({"BLOCK": 16})]


def configs(sizes=SIZES):
    out = []
    for size in sizes:
        out.append(triton.Config({"BLOCK": size}))
    return out


def prune(all, args, **kwargs):
    for config in all:
        config.kwargs["BLOCK"] = SIZES[0]
    return all
