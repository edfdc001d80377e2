# A `break` in the `else` of a loop ends the loop around it.
# RUN: tilec --emit=module %s -o - | FileCheck %s
import os

# CHECK: FOR = 0
FOR = 0
for i in [1, 2]:
    for j in [1]:
        pass
    else:
        break
    FOR += 5
# CHECK: WHILE = 1
WHILE = 1
for i in [1, 2]:
    while WHILE > 1:
        pass
    else:
        WHILE = i
        break
    WHILE += 5
# CHECK: HANDLED = 0
HANDLED = 0
for i in [1, 2]:
    try:
        raise NameError
    except NameError:
        for j in [1]:
            pass
        else:
            break
        HANDLED = 5
# CHECK: BOTH = 1
BOTH = 1
for i in [1, 2]:
    for j in [1, 2]:
        if os.environ.get("SET"):
            break
    else:
        break
    BOTH = 1
# CHECK: ONE: unknown
ONE = 1
for i in [1, 2]:
    for j in [1, 2]:
        if os.environ.get("SET"):
            break
    else:
        break
    ONE = 2
