#!/usr/bin/env python3
"""Records a command in a terminal as an animated SVG, which needs no script: record.py OUT.svg COLUMNSxROWS COMMAND

Needs pyte (`pip install pyte`). README's recordings, made in an empty directory on the disk to measure:

    record.py assess.svg 80x24 'fathom assess . --for etcd --report disk.html'
    record.py watch.svg 100x30 'fathom assess . --test read-iops --watch'
"""
import fcntl, html, os, pty, struct, sys, termios, time
import pyte

FRAME_S, LAST_S = 0.5, 6
CELL_W, CELL_H = 8.43, 18
SIZE_MAX = 500_000
LEAVES_VIEW, CLEAR = b"\x1b[?1049l", b"\x1b[2J\x1b[H"
COLORS = {"default": "#d4d4d4", "black": "#5c6370", "red": "#f47067", "green": "#6bc46d", "brown": "#daaa3f",
          "blue": "#6cb6ff", "magenta": "#dcbdfb", "cyan": "#56d4dd", "white": "#f0f0f0"}


def color(name):
    return COLORS.get(name.removeprefix("bright"), name if name in COLORS else f"#{name}")


def row(line, columns):
    """Returns the SVG of a row: a span for each run of equal style."""
    runs = []
    for column in range(columns):
        char = line[column]
        style = (char.bg, char.fg, char.bold) if char.reverse else (char.fg, char.bg, char.bold)
        if runs and runs[-1][1] == style:
            runs[-1][2] += char.data
        else:
            runs.append([column, style, char.data])
    out = ""
    for column, (fg, _, bold), text in runs:
        column += len(text) - len(text.lstrip())
        if text := html.escape(text.strip()):
            weight = ' font-weight="bold"' if bold else ""
            # Charts: fonts have other widths for these characters.
            cells = 1 if text.isascii() else len(html.unescape(text))
            at = " ".join(f"{(column + cell) * CELL_W:.1f}" for cell in range(cells))
            out += f'<tspan x="{at}" fill="{color(fg)}"{weight}>{text}</tspan>'
    return out


def record(command, columns, rows):
    """Returns the frames of a command: time, and the SVG of each row."""
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    stream.feed(f"$ {command}\r\n".encode())
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.execvp("sh", ["sh", "-c", f"sleep 0.2; {command}"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    frames, start, drawn = [], time.monotonic(), 0

    def draw():
        frame = [row(screen.buffer[line], columns) for line in range(rows)]
        if not frames or frames[-1][1] != frame:
            frames.append((time.monotonic() - start, frame))

    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if LEAVES_VIEW in data:
            draw()
        stream.feed(data.replace(LEAVES_VIEW, CLEAR))
        if time.monotonic() - drawn >= FRAME_S:
            draw()
            drawn = time.monotonic()
    draw()
    return frames


def svg(frames, columns, rows):
    width, height = columns * CELL_W + 20, rows * CELL_H + 20
    end = frames[-1][0] + LAST_S
    ids, defs, body, steps = {"": ""}, "", "", ""
    for number, (at, frame) in enumerate(frames):
        uses = ""
        for line, text in enumerate(frame):
            if text not in ids:
                ids[text] = f"r{len(ids)}"
                defs += f'<text id="{ids[text]}">{text}</text>'
            if text:
                uses += f'<use href="#{ids[text]}" y="{(line + 1) * CELL_H}"/>'
        body += f'<g transform="translate({number * width + 10:.1f} 6)">{uses}</g>'
        steps += f"{100 * (at if number else 0) / end:.2f}%{{transform:translateX({-number * width:.1f}px)}}"
    last = -(len(frames) - 1) * width
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}">'
            f"<style>text{{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}}"
            f"#s{{animation:a {end:.1f}s step-end infinite}}@keyframes a{{{steps}to{{transform:translateX({last:.1f}px)}}}}"
            f"@media(prefers-reduced-motion:reduce),print{{#s{{animation:none;transform:translateX({last:.1f}px)}}}}</style>"
            f'<rect width="100%" height="100%" rx="6" fill="#1e1e1e"/><defs>{defs}</defs><g id="s">{body}</g></svg>\n')


def main():
    path, size, command = sys.argv[1:]
    columns, rows = map(int, size.split("x"))
    text = svg(record(command, columns, rows), columns, rows)
    assert len(text) < SIZE_MAX, f"{len(text)} bytes"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


main()
