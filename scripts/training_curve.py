#!/usr/bin/env python3
"""Draws the loss over steps of one or more runs from what `trainer --csv FILE` wrote, as one SVG.

    build/bin/trainer --gpus 1 --batch 64 --steps 25 --arithmetic on --csv one.csv
    build/bin/trainer --gpus 4 --batch 16 --steps 25 --arithmetic on --csv four.csv
    scripts/training_curve.py "1 GPU=one.csv" "4 GPUs=four.csv" -o curve.svg
"""
import argparse
import csv
import html
import math
import sys

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 24, 48
# Okabe and Ito's palette: told apart by colour-blind readers too; dashes tell lines apart without colour.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
DASHES = ["", "7 4", "2 3", "9 3 2 3"]


def read_run(argument):
    label, _, path = argument.rpartition("=")
    steps, losses = [], []
    try:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                steps.append(int(row["step"]))
                losses.append(float(row["loss"]))
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"training_curve: {path}: {error}; give a file that trainer --csv wrote with --arithmetic on")
    if not steps:
        sys.exit(f"training_curve: {path}: no steps in it")
    return label or path, steps, losses


def ticks(highest, count=5):
    raw = highest / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    return [i * step for i in range(int(highest / step) + 1)]


def draw(runs, title):
    last_step = max(max(steps[-1] for _, steps, _ in runs), 1)
    highest = max(max(losses) for _, _, losses in runs) * 1.05 or 1

    def x(step):
        return LEFT + step / last_step * (WIDTH - LEFT - RIGHT)

    def y(loss):
        return HEIGHT - BOTTOM - loss / highest * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="16" fill="#222">{html.escape(title)}</text>',
    ]
    for loss in ticks(highest):
        parts.append(f'<path d="M{LEFT} {y(loss):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(loss) + 4:.1f}" text-anchor="end" fill="#444">{loss:g}</text>')
    for step in ticks(last_step):
        parts.append(f'<text x="{x(step):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#444">{step:g}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle" fill="#444">step</text>')
    parts.append(f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" fill="#444" transform="rotate(-90 16 {HEIGHT / 2})">loss</text>')
    for index, (label, steps, losses) in enumerate(runs):
        colour, dash = COLOURS[index % len(COLOURS)], DASHES[index % len(DASHES)]
        points = " ".join(f"{x(step):.1f},{y(loss):.1f}" for step, loss in zip(steps, losses))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        at = TOP + 14 + index * 20
        parts.append(f'<path d="M{WIDTH - 230} {at}h36" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        parts.append(f'<text x="{WIDTH - 186}" y="{at + 4}" fill="#222">{html.escape(label)}</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="LABEL=FILE")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--title", default="Loss of the bundled trainer")
    options = parser.parse_args()
    picture = draw([read_run(argument) for argument in options.runs], options.title)
    try:
        with open(options.output, "w") as file:
            file.write(picture)
    except OSError as error:
        sys.exit(f"training_curve: {options.output}: {error}")


if __name__ == "__main__":
    main()
