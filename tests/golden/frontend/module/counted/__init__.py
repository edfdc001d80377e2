A = 2


def more():
    global A
    A += 1
    return A


B = more() + more()
