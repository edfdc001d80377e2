# Code that takes too long is given up, a statement or a function at a time:
# only the names in it are unknown.
# RUN: tilec --emit=module %s -o - | FileCheck %s
# CHECK-DAG: OTHER = 2
OTHER = 2
# CHECK-DAG: SIZES: unknown
SIZES = [16]
# CHECK-DAG: COUNT: unknown
COUNT = 0
while COUNT < 200000:
    COUNT += len(SIZES)
# CHECK-DAG: AFTER = 3
AFTER = OTHER + 1


def slow(f):
    for i in range(200000):
        pass
    return f


@slow
def set_name():
    global NAME
    NAME = 5


# CHECK-DAG: NAME: unknown
NAME = 1
# CHECK-DAG: KNOWN = 1
KNOWN = 1
set_name()
# CHECK-DAG: SEEN: unknown
SEEN = NAME


# The function may be called later, and is too long to be followed then.
def spin():
    global TURNS
    for i in range(200000):
        TURNS += 1


# CHECK-DAG: TURNS: 0 so far
TURNS = 0
# CHECK-DAG: TEXT: unknown
TEXT = ""
for i in range(200000):
    TEXT = f"{i}"
