# Instances are compared by their own methods, and numbers with instances by the
# turned method of the instance.
# RUN: tilec --emit=module %s -o - | FileCheck %s
class Size:
    def __init__(self, n): self.n = n
    def __lt__(self, other): return (self.n, "<", other.n if isinstance(other, Size) else other)
    def __ge__(self, other): return (self.n, ">=", other.n if isinstance(other, Size) else other)

class Larger(Size):
    pass

a, b, larger = Size(1), Size(2), Larger(3)
# CHECK-DAG: OWN = ((1, '<', 2), (2, '>=', 1))
OWN = (a < b, b >= a)
# CHECK-DAG: TURNED = ((2, '<', 1), (1, '>=', 2))
TURNED = (a > b, b <= a)
# CHECK-DAG: NUMBERS = ((1, '<', 5), (1, '<', 5), (2, '>=', 7))
NUMBERS = (a < 5, 5 > a, 7 <= b)
# CHECK-DAG: DERIVED: unknown
DERIVED = a < larger
