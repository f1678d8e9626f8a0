#!/usr/bin/env python3
"""Compares gputrace's partition of a GPU's time with HTA's temporal breakdown and communication overlap.

    pip install HolisticTraceAnalysis
    tests/tools/compare_with_hta.py --gputrace build/bin/gputrace FILE...

Each FILE is a Kineto trace of one rank. Both tools look at the span from the first to the last event on the GPU
(`gputrace report --whole-trace`). A difference above 0.5 % of the span is explained where counting the file's events
in one of HTA's ways (REASONS) gives HTA's figures; docs/partition_against_hta.md says more. Exit status 1 where one is
left unexplained.
"""
import argparse
import gzip
import json
import logging
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

LIMIT = 0.005  # of the span; of the communication time for the overlap

SAME = 0.0005  # of the span: what counting HTA's way may differ from HTA by


def read_events(path):
    """The trace's JSON; control characters inside strings, which some profilers write, do no harm."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        text = file.read()
    try:
        trace = json.loads(text)
    except json.JSONDecodeError:
        trace = json.loads(re.sub(r"[\x00-\x1f]", " ", text), strict=False)
    return {"traceEvents": trace} if isinstance(trace, list) else trace


def covered(spans):
    total, until = 0, -math.inf
    for start, end in sorted(spans):
        start = max(start, until)
        if end > start:
            total, until = total + end - start, end
    return total


def exact(event):
    return float(event["ts"]), float(event["ts"]) + float(event.get("dur", 0))


def whole_microseconds(event):
    start, end = exact(event)
    return math.ceil(start), math.floor(end)


def count(events, span_of, keep):
    """Span, idle, compute and non-compute time in ns, counted from the file's own events as HTA does."""
    kept = [event for event in events if keep(event)]
    spans = [span_of(event) for event in kept]
    work = [span_of(event) for event in kept if event.get("cat") == "kernel" and not event["name"].startswith("nccl")]
    span = max(end for _, end in spans) - min(start for start, _ in spans)
    idle, compute = span - covered(spans), covered(work)
    return {"span": span * 1000, "idle": idle * 1000, "compute": compute * 1000, "non-compute": (span - idle - compute) * 1000}


def reason_for(path, hta):
    """The first of HTA's ways of counting that gives HTA's figures of this file, or None."""
    events = [e for e in read_events(path)["traceEvents"] if e.get("ph") == "X"]
    on_gpu = [e for e in events if (e.get("args") or {}).get("stream", -1) != -1]
    on_host = [e for e in events if (e.get("args") or {}).get("stream", -1) == -1]
    last = max((exact(e)[1] for e in on_host if e["name"].startswith("ProfilerStep")), default=math.inf)
    asked = {e["args"]["correlation"] for e in on_host if "correlation" in (e.get("args") or {}) and float(e["ts"]) <= last}
    is_sync = lambda e: e.get("cat") == "cuda_sync"
    reasons = (("waits of streams count as work", exact, lambda e: True),
               ("times cut to whole microseconds", whole_microseconds, lambda e: not is_sync(e)),
               ("work without a call in a step left out", exact, lambda e: e["args"].get("correlation") in asked))
    for reason, span_of, keep in reasons:
        counted = count(on_gpu, span_of, keep)
        if all(abs(counted[figure] - hta[figure]) <= SAME * hta["span"] for figure in counted):
            return reason
    return None


def ours(program, path):
    """The parts of all GPUs of the file over the whole trace, in ns."""
    done = subprocess.run([program, "report", path, "--whole-trace", "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    report = json.loads(done.stdout)
    used = [device for device in report["devices"] if device["used"]]
    if len(used) != 1:
        return None, f"work on {len(used)} GPUs: HTA puts the GPUs of a rank together"
    parts = used[0]["time_ns"]
    span = report["trace"]["window_end_ns"] - report["trace"]["window_start_ns"]
    idle = sum(parts["idle"].values())
    compute = sum(ns for key, ns in parts.items() if key != "idle" and "compute" in key.split("+"))
    communication = sum(ns for key, ns in parts.items() if key != "idle" and "communication" in key.split("+"))
    both = sum(ns for key, ns in parts.items() if key != "idle" and {"compute", "communication"} <= set(key.split("+")))
    return {"span": span, "idle": idle, "compute": compute, "non-compute": span - idle - compute,
            "communication": communication, "overlap": both}, None


def prepare(path, folder):
    """HTA reads a folder of traces with a rank each: the file under a name that ends as HTA asks, with a rank where it has none."""
    trace = read_events(path)
    trace.setdefault("distributedInfo", {}).setdefault("rank", 0)
    target = os.path.join(folder, "rank.json")
    with open(target, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    return target, trace["distributedInfo"]["rank"]


def theirs(path):
    """HTA's figures of the file in ns, or why it has none."""
    from hta.trace_analysis import TraceAnalysis

    folder = tempfile.mkdtemp()
    try:
        target, rank = prepare(path, folder)
        analysis = TraceAnalysis(trace_files={rank: target}, trace_dir=folder, include_last_profiler_step=True)
        row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
        overlap = float(analysis.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"])
        ns = {name: float(row[f"{column}_time(us)"]) * 1000 for name, column in
              (("idle", "idle"), ("compute", "compute"), ("non-compute", "non_compute"), ("span", "kernel"))}
        ns["overlap share"] = None if overlap != overlap else overlap / 100
        return ns, None
    except Exception as error:  # HTA raises whatever its data frames raise
        return None, f"HTA: {type(error).__name__}: {str(error)[:90]}"
    finally:
        shutil.rmtree(folder)


def compare(own, hta):
    """Rows of (figure, ours, HTA's, difference as a share), the difference None where only one of both has the figure."""
    for figure in ("span", "idle", "compute", "non-compute"):
        yield figure, own[figure], hta[figure], (own[figure] - hta[figure]) / own["span"] if own["span"] else None
    share = own["overlap"] / own["communication"] if own["communication"] else None
    other = hta["overlap share"]
    if share is None and other is None:
        return
    yield "overlap share", share, other, None if share is None or other is None else share - other


def text_of(figure, value):
    if value is None:
        return "-"
    return f"{100 * value:.2f} %" if figure == "overlap share" else f"{value / 1e6:.3f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gputrace", required=True, help="the program")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    unexplained = compared = 0
    print("| file | figure | gputrace | HTA | difference | |\n| --- | --- | ---: | ---: | ---: | --- |")
    for path in arguments.files:
        name = os.path.basename(path).split(".")[0]
        own, why = ours(arguments.gputrace, path)
        hta, why_not = theirs(path) if own else (None, why)
        if hta is None:
            print(f"| {name} | - | | | | not compared: {why_not} |")
            continue
        compared += 1
        rows = list(compare(own, hta))
        is_large = [difference is None or abs(difference) > LIMIT for _, _, _, difference in rows]
        reason = reason_for(path, hta) or "UNEXPLAINED" if any(is_large) else ""
        for (figure, mine, other, difference), large in zip(rows, is_large):
            note = reason if large else ""
            unexplained += note == "UNEXPLAINED"
            shown = "-" if difference is None else f"{100 * difference:+.3f} %"
            print(f"| {name} | {figure} | {text_of(figure, mine)} | {text_of(figure, other)} | {shown} | {note} |")
    print(f"\n{compared} files compared, {unexplained} differences above {100 * LIMIT} % unexplained", file=sys.stderr)
    return 1 if unexplained or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
