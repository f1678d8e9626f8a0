#!/usr/bin/env python3
"""Makes a large Kineto JSON trace of a small one by writing its events again and again, each time later.

Usage: tests/tools/repeat_trace.py IN.json[.gz] OUT.json MEGABYTES
"""
import gzip
import json
import sys


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, target, megabytes = sys.argv[1], sys.argv[2], float(sys.argv[3])
    opener = gzip.open if source.endswith(".gz") else open
    with opener(source, "rt") as file:
        trace = json.load(file, strict=False)
    events = [event for event in trace.pop("traceEvents") if "ts" in event and event.get("cat") != "Trace"]
    span = max(float(event["ts"]) + float(event.get("dur", 0)) for event in events) - min(float(event["ts"]) for event in events) + 1
    written = 0
    with open(target, "w") as file:
        file.write(json.dumps(trace)[:-1] + ', "traceEvents": [')
        separator = "\n"
        for repeat in range(10**9):
            for event in events:
                later = dict(event, ts=round(float(event["ts"]) + repeat * span, 3))
                text = separator + json.dumps(later)
                separator = ",\n"
                file.write(text)
                written += len(text)
            if written > megabytes * 1e6:
                break
        file.write("\n]}\n")


if __name__ == "__main__":
    main()
