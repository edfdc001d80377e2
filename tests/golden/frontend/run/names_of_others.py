# Imported by names-of-others.py.
N = 1
M = 1


def known():
    return N
