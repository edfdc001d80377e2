CAUGHT = 4
try:
    raise ImportError("not here")
except ImportError:
    pass


def check(kind):
    raise ValueError(kind)
