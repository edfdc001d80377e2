"""Draws the rooms: a panel for each layer; a room is above the rooms that it uses."""
from html import escape

WIDTH, BOX, GAP, ROW, MARGIN, HEAD = 1000, 30, 14, 54, 18, 22
PANELS = ["ir", "frontend", "passes", "codegen", "runtime", "runtime/simulator"]


def panel_of(path):
    if path.startswith("runtime/simulator/"):
        return "runtime/simulator"
    return path.split("/")[0]


# Rooms of the panel that a room uses, except those that one of these uses, too.
def near(rooms, path):
    uses = [used for used in rooms[path].uses if panel_of(used) == panel_of(path)]
    return [used for used in uses
            if not any(used in rooms[other].uses for other in uses)]


# The level of a room is one above the highest level that it uses.
def level(rooms, path):
    return 1 + max((level(rooms, used) for used in near(rooms, path)), default=-1)


# The places of a panel's boxes: {path: (x, y, width)}, and the panel's height.
def places(rooms, paths):
    rows = {}
    for path in paths:
        rows.setdefault(level(rooms, path), []).append(path)
    top = max(rows)
    found = {}
    for at, row in rows.items():
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / max(len(row), 3)
        x = (WIDTH - width * len(row) - GAP * (len(row) - 1)) / 2
        for path in row:
            found[path] = (x, HEAD + MARGIN + (top - at) * ROW, width)
            x += width + GAP
    return found, HEAD + 2 * MARGIN + top * ROW + BOX


def label(path):
    panel = panel_of(path)
    return path[len(panel) + 1:] or "(porch)"


def draw_panel(rooms, panel, y0, out):
    paths = [path for path in rooms if panel_of(path) == panel]
    boxes, height = places(rooms, paths)
    out.append(f'<rect class="panel" x="4" y="{y0 + 4}" width="{WIDTH - 8}" '
               f'height="{height - 8}" rx="6"/>')
    out.append(f'<text class="layer" x="16" y="{y0 + 24}">{escape(panel)}</text>')
    for path in paths:
        x, y, width = boxes[path]
        for used in near(rooms, path):
            ux, uy, uwidth = boxes[used]
            out.append(f'<line x1="{x + width / 2:.0f}" y1="{y0 + y + BOX:.0f}" '
                       f'x2="{ux + uwidth / 2:.0f}" y2="{y0 + uy:.0f}"/>')
    for path in paths:
        x, y, width = boxes[path]
        out.append(f'<rect class="room" x="{x:.0f}" y="{y0 + y:.0f}" '
                   f'width="{width:.0f}" height="{BOX}" rx="4">'
                   f'<title>{escape(rooms[path].what)}</title></rect>')
        out.append(f'<text x="{x + width / 2:.0f}" y="{y0 + y + BOX / 2 + 5:.0f}">'
                   f'{escape(label(path))}</text>')
    return y0 + height


def picture(rooms):
    out, y = [], 0
    for panel in reversed(PANELS):
        y = draw_panel(rooms, panel, y, out)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" '
            'font-family="sans-serif" font-size="14" text-anchor="middle">\n'
            '<style>.panel{fill:#f4f6f8;stroke:#b6c0ca}.room{fill:#fff;stroke:#3b4a5a}'
            '.layer{text-anchor:start;font-weight:bold}line{stroke:#8a97a5}'
            'text{fill:#1c2733}</style>\n'
            f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n')
    return head + "\n".join(out) + "\n</svg>\n"
