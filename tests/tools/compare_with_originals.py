#!/usr/bin/env python3
"""Counts what is in each trace of a folder, with sqlite3 and Python's json on the original and with SQL on what `gputrace import`
made of it, and prints the table of docs/formats.md.

Usage: tests/tools/compare_with_originals.py GPUTRACE DATA_FOLDER
Exit status 1 where a count differs.
"""
import gzip
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal

FIELDS = ["kernels", "copies", "ranges", "GPUs", "span_ns", "kernel_ns", "copied_bytes"]


def summary(kernels, copies, ranges):
    """kernels: (start, end, device); copies: (start, end, device, bytes); times in ns."""
    work = kernels + [row[:3] for row in copies]
    return {
        "kernels": len(kernels),
        "copies": len(copies),
        "ranges": ranges,
        "GPUs": len({row[2] for row in work}),
        "span_ns": max(row[1] for row in work) - min(row[0] for row in work) if work else 0,
        "kernel_ns": sum(row[1] - row[0] for row in kernels),
        "copied_bytes": sum(row[3] for row in copies),
    }


def has_table(database, name):
    return database.execute("SELECT count(*) FROM sqlite_master WHERE type='table' AND name=?", (name,)).fetchone()[0] > 0


def rows(database, table, columns):
    if not has_table(database, table):
        return []
    usable = "NOT (start = 0 AND end = 0) AND end >= start AND start IS NOT NULL"
    return database.execute(f"SELECT {columns} FROM {table} WHERE {usable}").fetchall()


def device(database, table):
    """Processes of these files that number their GPUs alike have different ones; a column that is absent tells nothing apart."""
    columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    return "deviceId || '/' || ifnull(globalPid, 0)" if "globalPid" in columns else "deviceId"


def from_nsys(database):
    kernel_table, copy_table = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"
    kernels = rows(database, kernel_table, f"start, end, {device(database, kernel_table)}")
    copies = rows(database, copy_table, f"start, end, {device(database, copy_table)}, bytes")
    ranges = 0
    if has_table(database, "NVTX_EVENTS"):
        ranges = database.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)").fetchone()[0]
    return summary(kernels, copies, ranges)


def from_nvprof(database):
    kernels = rows(database, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "start, end, deviceId") + rows(
        database, "CUPTI_ACTIVITY_KIND_KERNEL", "start, end, deviceId")
    copies = rows(database, "CUPTI_ACTIVITY_KIND_MEMCPY", "start, end, deviceId, bytes") + rows(
        database, "CUPTI_ACTIVITY_KIND_MEMCPY2", "start, end, deviceId, bytes")
    ranges = 0
    if has_table(database, "CUPTI_ACTIVITY_KIND_MARKER"):
        ranges = database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MARKER WHERE name <> 0").fetchone()[0]
    return summary(kernels, copies, ranges)


def ns(microseconds):
    return int(Decimal(microseconds) * 1000)


def from_kineto(path):
    with gzip.open(path, "rt", errors="replace") as file:
        trace = json.load(file, parse_float=str, parse_int=str, strict=False)
    kernels, copies, ranges = [], [], 0
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    gpu_rows = {event["pid"] for event in events
                if event.get("name") == "process_labels" and event["args"].get("labels", "").startswith("GPU")}
    not_ranges = {"cuda_sync", "cuda_runtime", "Runtime", "cuda_driver", "overhead", "gpu_user_annotation", "Trace", "gpu_memset", "Memset"}
    for event in events:
        if event.get("ph") != "X":
            continue
        category, arguments = event.get("cat"), event.get("args", {})
        if category not in ("kernel", "Kernel", "gpu_memcpy", "Memcpy"):
            if category not in not_ranges and not (category == "user_annotation" and event["pid"] in gpu_rows):
                ranges += 1
            continue
        start = ns(event["ts"])
        row = (start, start + ns(event["dur"]), arguments.get("device", event["pid"]))
        if category in ("kernel", "Kernel"):
            kernels.append(row)
        else:
            copies.append(row + (int(arguments.get("bytes", arguments.get("size", 0))),))
    return summary(kernels, copies, ranges)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire_type = key & 7
        if wire_type == 0:
            value, at = varint(data, at)
        elif wire_type == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            length = 8 if wire_type == 1 else 4
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def from_xplane(path):
    kernels, copies, ranges = [], [], 0
    for number, plane in fields(path.read_bytes()):
        if number != 1:
            continue
        name, lines, event_names, stat_names = "", [], {}, {}
        for field, value in fields(plane):
            if field == 2:
                name = value.decode()
            elif field == 3:
                lines.append(value)
            elif field in (4, 5):
                entry = dict(fields(value))
                (event_names if field == 4 else stat_names)[entry.get(1, 0)] = dict(fields(entry[2])).get(2, b"").decode()
        for line in lines:
            line_name, start_ns, events = "", 0, []
            for field, value in fields(line):
                if field == 2:
                    line_name = value.decode()
                elif field == 3:
                    start_ns = value
                elif field == 4:
                    events.append(value)
            if name == "/host:CPU":
                for event in events:
                    content = list(fields(event))
                    named = event_names.get(dict(content).get(1, 0), "")
                    stats = {stat_names.get(dict(fields(value)).get(1)) for field, value in content if field == 4}
                    ranges += not (named.startswith(("cu", "hip")) and "correlation_id" in stats)
            if not (name.startswith("/device:GPU:") and line_name.startswith("Stream #")):
                continue
            for event in events:
                content = list(fields(event))
                values = dict(content)
                row = (start_ns + values.get(2, 0) // 1000, start_ns + (values.get(2, 0) + values.get(3, 0)) // 1000, name)
                event_name = event_names.get(values.get(1, 0), "")
                if event_name.startswith("Memset"):
                    continue
                if not event_name.startswith("Memcpy"):
                    kernels.append(row)
                    continue
                size = 0
                for field, value in content:
                    stat = dict(fields(value)) if field == 4 else {}
                    if field == 4 and stat_names.get(stat.get(1)) == "memcpy_details":
                        text = stat[5].decode() if 5 in stat else stat_names[stat[7]]
                        size = int(text.split("size:")[1].split()[0])
                copies.append(row + (size,))
    return summary(kernels, copies, ranges)


def from_original(path):
    if path.suffix in (".sqlite", ".nvvp"):
        database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        return from_nvprof(database) if path.suffix == ".nvvp" else from_nsys(database)
    return from_xplane(path) if path.suffix == ".pb" else from_kineto(path)


def from_import(gputrace, path, folder):
    out = folder / "trace.sqlite"
    done = subprocess.run([gputrace, "import", path, "-o", out, "--force"], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr}")
    database = sqlite3.connect(out)
    kernels = rows(database, "CUPTI_ACTIVITY_KIND_KERNEL", "start, end, deviceId")
    copies = rows(database, "CUPTI_ACTIVITY_KIND_MEMCPY", "start, end, deviceId, bytes")
    ranges = 0
    if has_table(database, "NVTX_EVENTS"):
        ranges = database.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)").fetchone()[0]
    return summary(kernels, copies, ranges)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    gputrace, data = sys.argv[1], pathlib.Path(sys.argv[2])
    differing = 0
    print("| file | kernels | copies | ranges | GPUs | span, ms | kernels, ms | copied, MB | as the original |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(data.rglob("*")):
            if path.suffix not in (".sqlite", ".nvvp", ".gz", ".pb"):
                continue
            ours, original = from_import(gputrace, path, pathlib.Path(folder)), from_original(path)
            wrong = [f"{field}: {original[field]}" for field in FIELDS if ours[field] != original[field]]
            differing += bool(wrong)
            print(f"| {path.relative_to(data)} | {ours['kernels']} | {ours['copies']} | {ours['ranges']} | {ours['GPUs']} | "
                  f"{ours['span_ns'] / 1e6:.3f} | {ours['kernel_ns'] / 1e6:.3f} | {ours['copied_bytes'] / 1e6:.3f} | {', '.join(wrong) or 'yes'} |")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
