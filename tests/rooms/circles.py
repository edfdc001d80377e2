"""Circles of sources that use one another."""


# The sets of nodes that reach each other in `graph`, {node: nodes that it uses}: Tarjan's
# algorithm, with a stack of its own so that the depth of the graph does not matter.
def circles(graph):
    number, low, stack, on_stack, found = {}, {}, [], set(), []

    def enter(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        return node, iter(sorted(graph.get(node, ())))

    def leave(node):
        if low[node] != number[node]:
            return
        at = stack.index(node)
        found.append(set(stack[at:]))
        on_stack.difference_update(stack[at:])
        del stack[at:]

    for start in sorted(graph):
        path = [] if start in number else [enter(start)]
        while path:
            node, rest = path[-1]
            other = next(rest, None)
            if other is None:
                path.pop()
                leave(node)
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
            elif other not in number:
                path.append(enter(other))
            elif other in on_stack:
                low[node] = min(low[node], number[other])
    return found
