# The name of a handler's exception is deleted after the handler, on every path;
# and a list is empty while it is sorted.
# RUN: tilec --emit=module %s -o - | FileCheck %s
ERROR = 5
for i in [1, 2]:
    try:
        raise KeyError(i)
    except KeyError as ERROR:
        break
# CHECK-NOT: ERROR
try:
    ERROR
    KEPT = True
# CHECK: KEPT = False
except NameError:
    KEPT = False


def returned():
    for i in [1, 2]:
        try:
            raise KeyError(i)
        except KeyError as x:
            continue
    try:
        return x
    except NameError:
        return "gone"


# CHECK: LEFT = 'gone'
LEFT = returned()

# CHECK: SORTED = [3, 1, 2]
SORTED = [3, 1, 2]
SORTED.sort(key=lambda x: len(SORTED) * x)
# CHECK: CHANGED: unknown
CHANGED = [3, 1, 2]
try:
    CHANGED.sort(key=lambda x: CHANGED.append(1) or x)
except ValueError:
    pass
