# RUN: tilec --emit=module %s -o - | FileCheck %s
#
# A tuple that doubles each time ends the run before it fills the memory.

# CHECK: COUNT: unknown
# CHECK: ITEMS: unknown
COUNT = 24
ITEMS = (1,)
for i in range(COUNT):
    ITEMS = ITEMS + ITEMS
