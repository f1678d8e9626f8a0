#!/usr/bin/env python3
"""How often gputrace is right: plants faults in the bundled trainer, records, diagnoses, and compares with the run without the fault.

    tests/accuracy/accuracy.py [--build build] [--out docs/accuracy.md] [--quick]

Ground truth is the trainer itself: a fault's cost is the step time with it against the one without it. A fault that costs less than 1 % of
the step need not be found; one that is found all the same is right too. Prints a Markdown page; exit status 1 where a goal is missed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

COSTS = 0.01  # of the step: from here a fault must be found
GOALS = {"first": 0.95, "precision": 0.95, "recall": 0.95, "speedup": 0.90}
SPEEDUP_WITHIN = 0.15

# Machines, and programs that nothing but the machine's own speed holds back much.
MACHINES = {"4x-titan-x": 4, "4x-v100-nvlink": 4, "2x-rtx-4090": 2, "4x-k80": 4}
PROGRAMS = {
    "resnet": "--model resnet --framework newer --layout nchw --padding fused --batch-norm fused --update all-reduce --batch 512",
    "mlp": "--model mlp --update all-reduce --pinned on --batch 16 --feed-ahead on",
}

# A fault, the rules that name it, and further options (the run without the fault has them too).
FAULTS = [
    ("straggler:1:100", ["straggler"], ""),
    ("slow-link:1", ["slow-link"], ""),
    ("far-socket:1", ["slow-link"], ""),
    ("slow-clock:1:60", ["slow-clock"], ""),
    ("pageable-input", ["pageable-copies"], ""),
    ("unified-memory", ["unified-memory-migrations"], ""),
    ("read-loss-every-step", ["blocking-readbacks", "sync-stalls"], ""),
    ("read-loss-every-op", ["blocking-readbacks", "sync-stalls"], ""),
    ("op-on-host", ["cpu-placed-ops"], ""),
    ("sync-every-kernel", ["sync-stalls"], ""),
    ("alloc-in-loop:5", ["allocation-in-loop"], ""),
    ("serialized-towers", ["towers-serialized"], ""),
    ("one-stream", ["unused-gpus"], "--update host"),
    ("collective-on-compute-stream", ["collectives-on-compute-stream"], "--batch 1"),
    ("few-thread-reduction", ["small-grids"], ""),
    ("periodic-pause:3:100", ["periodic-pauses"], ""),
    ("unused-gpu", ["unused-gpus"], ""),
    ("tiny-copies", ["tiny-copies"], ""),
]
# Combinations of two faults; the rules that name them, in the same order. The report's gain of all remedies is held against the run without both.
PAIRS = [
    (("straggler:1:100", "slow-clock:2:60"), ("straggler", "slow-clock")),
    (("periodic-pause:3:100", "alloc-in-loop:5"), ("periodic-pauses", "allocation-in-loop")),
    (("tiny-copies", "read-loss-every-op"), ("tiny-copies", "blocking-readbacks")),
    (("straggler:1:100", "alloc-in-loop:5"), ("straggler", "allocation-in-loop")),
    (("slow-clock:1:60", "periodic-pause:3:100"), ("slow-clock", "periodic-pauses")),
    (("few-thread-reduction", "straggler:0:50"), ("small-grids", "straggler")),
]
# Causes that are no faults but how a program is written: options, those of the program without it, the rules that name it.
CHOICES = [
    ("gradients reduced on the host", "--model mlp --update host --pinned on --batch 16 --feed-ahead on", "--model mlp --update all-reduce --pinned on --batch 16 --feed-ahead on",
     ["gradients-reduced-on-host", "weight-update-blocks-forward"]),
    ("batch copied when its step begins", "--model mlp --update all-reduce --pinned on --batch 16", "--model mlp --update all-reduce --pinned on --batch 16 --feed-ahead on",
     ["copies-not-overlapped"]),
    ("padding in kernels of its own", "--model resnet --framework newer --layout nchw --padding explicit --batch-norm fused --update all-reduce --batch 512",
     "--model resnet --framework newer --layout nchw --padding fused --batch-norm fused --update all-reduce --batch 512", ["data-movement-kernels"]),
    ("batch norm between transposes", "--model resnet --framework newer --layout nchw --padding fused --batch-norm transposed --update all-reduce --batch 512",
     "--model resnet --framework newer --layout nchw --padding fused --batch-norm fused --update all-reduce --batch 512", ["unfused-normalization", "layout-conversions"]),
    ("batch norm written out", "--model resnet --framework newer --layout nchw --padding fused --batch-norm naive --update all-reduce --batch 128",
     "--model resnet --framework newer --layout nchw --padding fused --batch-norm fused --update all-reduce --batch 128", ["unfused-normalization"]),
]
SCENARIOS = [
    ("A-base, its padding", "--scenario A-base", "--scenario A-base --padding fused", ["data-movement-kernels"]),
    # Three of these are bound by their launches as well, and the remedies leave the host fewer ops to hand out. That it is so shows on a
    # machine whose host takes half the time a call: A-base takes 70.9 ms a step in place of 121.5, A-mxnet 29.3 in place of 46.1,
    # A-nchw-transposed-bn 63.6 in place of 81.7.
    ("A-base, its batch norm", "--scenario A-base", "--scenario A-base --batch-norm fused", ["unfused-normalization", "launch-bound"]),
    ("A-base, its update on the host", "--scenario A-base", "--scenario A-base --update all-reduce", ["gradients-reduced-on-host", "weight-update-blocks-forward"]),
    ("A-mxnet, its update on the host", "--scenario A-mxnet", "--scenario A-mxnet --update all-reduce", ["gradients-reduced-on-host", "launch-bound"]),
    ("A-nhwc, its batch norm", "--scenario A-nhwc", "--scenario A-nhwc --batch-norm fused", ["unfused-normalization"]),
    ("A-nchw-naive-bn", "--scenario A-nchw-naive-bn", "--scenario A-nchw-naive-bn --batch-norm fused", ["unfused-normalization"]),
    ("A-nchw-transposed-bn", "--scenario A-nchw-transposed-bn", "--scenario A-nchw-transposed-bn --batch-norm fused", ["unfused-normalization", "layout-conversions", "launch-bound"]),
    ("B-1gpu", "--scenario B-1gpu", "--scenario B-1gpu --pinned on", ["pageable-copies"]),
    ("A-base-real", "--scenario A-base-real", "--scenario A-base-real --prefetch 4", ["input-stall", "launch-bound"]),
    ("A-nhwc-real, 1 GPU", "--scenario A-nhwc-real --gpus 1", "--scenario A-nhwc-real --gpus 1 --prefetch 4", ["input-stall"]),
    ("B-tower-cpu", "--scenario B-tower-cpu", "--scenario B-tower", ["cpu-placed-ops"]),
    ("B-tower", "--scenario B-tower", "--scenario B-tower --pinned on", ["pageable-copies"]),
]
# Traces of real programs whose true cause is known: file, the rules that must come first (none: no warning), others that must be found.
REAL = [
    ("weights that stream in over PCIe at the link's rate", "nsys/nsysai_h100_2gpu_1s.sqlite", ["pcie-bound-transfers"], []),
    ("training that is fine after a slow upload of its weights", "nsys/a100_lm_2_7B.sqlite", [], []),
    ("healthy training of a language model", "nsys/a100_lm_2_7B_clean.sqlite", [], []),
    ("a healthy program", "nsys/nsysai_healthy_1pct.sqlite", [], []),
    ("8 ranks bound by their hosts; rank 7 comes last", "kineto/dlrm_8xV100", ["launch-bound"], ["straggler"]),
    ("peer copies over NVLink and PCIe", "kineto/gpupuzzlers_p2p_copy.json.gz", ["peer-path"], []),
    ("a read-back per element", "kineto/gpupuzzlers_addition_d2h_sync.json.gz", ["blocking-readbacks"], []),
    ("a blocking copy after each iteration", "kineto/gpupuzzlers_blocking_streams.json.gz", ["pageable-copies", "sync-stalls", "blocking-readbacks"], []),
    ("small kernels, bound by their launches", "kineto/gpupuzzlers_fusion_mwe_trace.json.gz", ["launch-bound"], []),
    ("a loader without workers", "kineto/resnet50_num_workers_0.json.gz", ["input-stall"], []),
    ("GPUs that wait inside collectives for the last to launch", "nvprof/blinkplus_nccl_4gpu.nvvp", ["exposed-communication", "straggler"], []),
]
# Of a run whose batch is fed from pageable or managed memory, the run without the fault feeds from pinned memory when its step begins.
FEEDS = {"pageable-input", "unified-memory"}


REMARK = """An unused GPU is found without a gain: what more GPUs win depends on the program."""


class Tools:
    def __init__(self, build):
        self.trainer, self.gputrace = os.path.join(build, "bin/trainer"), os.path.join(build, "bin/gputrace")
        self.steps, self.reports = {}, {}

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))

    def trainer_command(self, options):
        return [self.trainer, "--arithmetic", "off", "--steps", "9"] + options.split()

    def step_ms(self, options):
        """The mean step, as a pause in some of them counts too; None where the trainer refuses the options."""
        if options not in self.steps:
            done = self.run(self.trainer_command(options))
            times = [float(ms) for ms in re.findall(r"^step \d+ .*?([\d.]+) ms$", done.stdout, re.M)]
            self.steps[options] = sum(times) / len(times) if done.returncode == 0 and times else None
        return self.steps[options]

    def findings(self, options):
        return [f for f in self.report(options)["findings"] if f["verdict"] == "found"]

    def report(self, options):
        if options not in self.reports:
            self.reports[options] = self.record_and_report(options)
        return self.reports[options]

    def record_and_report(self, options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.sqlite")
            recorded = self.run([self.gputrace, "record", "--no-report", "-o", path, "--"] + self.trainer_command(options))
            if recorded.returncode != 0:
                sys.exit(f"accuracy: recording '{options}' failed: {recorded.stderr.strip()}")
            return self.report_of(path)

    def report_of(self, path):
        return json.loads(self.run([self.gputrace, "report", path, "--format", "json"]).stdout)

    def findings_of(self, path):
        return [f for f in self.report_of(path)["findings"] if f["verdict"] == "found"]


def is_warning(finding):
    return finding["severity"] != "info"


class Tally:
    def __init__(self):
        self.rows, self.rules, self.firsts, self.speedups, self.controls, self.real = [], {}, [], [], [], []

    def rule(self, name):
        return self.rules.setdefault(name, {"right": 0, "false": 0, "missed": 0})

    def add(self, name, found, expected, own, now_ms, clean_ms):
        """own: rules that are found without the fault as well, and so are no false alarms."""
        cost = now_ms / clean_ms
        causes = [f for f in found if not f["explained_by"] and f["rule"] not in own]
        hit = next((f for f in found if f["rule"] in expected), None)
        matters = cost - 1 >= COSTS
        if hit:
            self.rule(hit["rule"])["right"] += 1
        elif matters:
            self.rule(expected[0])["missed"] += 1
        for finding in found:
            if is_warning(finding) and finding["rule"] not in expected and finding["rule"] not in own and not finding["explained_by"]:
                self.rule(finding["rule"])["false"] += 1
        first = bool(causes) and causes[0]["rule"] in expected
        error = None
        if matters:
            self.firsts.append(first)
            planted = next((f for f in found if f["rule"] == expected[0]), None)  # the others name it too, and promise what is theirs
            if planted:
                error = planted["predicted_speedup"] / cost - 1
                if planted["predicted_speedup"] > 1:
                    self.speedups.append(abs(error) <= SPEEDUP_WITHIN)
        self.rows.append((name, expected[0], cost, hit["predicted_speedup"] if hit else None, error, first, matters,
                          ", ".join(f["rule"] for f in found if is_warning(f))))

    def control(self, name, found):
        warnings = [f["rule"] for f in found if is_warning(f)]
        self.controls.append((name, warnings))
        for rule in warnings:
            self.rule(rule)["false"] += 1


    def add_real(self, what, found, first, others):
        """What else is found in a real trace may be true as well: only what is expected is judged, and silence where nothing is wrong."""
        causes = [f["rule"] for f in found if not f["explained_by"]]
        warnings = [f["rule"] for f in found if is_warning(f)]
        right = causes[:1] and causes[0] in first if first else not warnings
        self.real.append((what, " or ".join(first) or "no warning", bool(right) and all(rule in causes for rule in others), warnings))
        for rule in causes[:1] if first and right else []:
            self.rule(rule)["right"] += 1
        for rule in [] if right or not first else first[:1]:
            self.rule(rule)["missed"] += 1
        for rule in [] if first else warnings:
            self.rule(rule)["false"] += 1
        for rule in others:
            self.rule(rule)["right" if rule in causes else "missed"] += 1


def share(values):
    return sum(values) / len(values) if values else 1.0


def page(tally):
    precision = {n: c["right"] / (c["right"] + c["false"]) for n, c in tally.rules.items() if c["right"] + c["false"]}
    recall = {n: c["right"] / (c["right"] + c["missed"]) for n, c in tally.rules.items() if c["right"] + c["missed"]}
    out = ["# How often gputrace is right", "",
           "Made by `tests/accuracy/accuracy.py`, on the virtual machine: simulated, times are modelled. Each row plants a known cause in the bundled trainer; "
           "`real` is the step time with it over the one without it, `predicted` the speedup that the finding promises for its remedy.", "",
           f"- planted cause first among the causes found: {share(tally.firsts):.1%} of {len(tally.firsts)} (goal {GOALS['first']:.0%})",
           f"- predicted within {SPEEDUP_WITHIN:.0%} of the real speedup: {share(tally.speedups):.1%} of {len(tally.speedups)} (goal {GOALS['speedup']:.0%})",
           f"- warnings on healthy controls: {sum(len(w) for _, w in tally.controls)} on {len(tally.controls)} (goal 0)", "",
           "| rule | right | false | missed | precision | recall |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, counts in sorted(tally.rules.items()):
        out.append(f"| {name} | {counts['right']} | {counts['false']} | {counts['missed']} | "
                   f"{precision.get(name, 1):.2f} | {recall.get(name, 1):.2f} |")
    out += ["", "| run | planted | real | predicted | error | first | warnings |", "| --- | --- | ---: | ---: | ---: | --- | --- |"]
    for name, expected, cost, predicted, error, first, matters, warnings in tally.rows:
        shown = "no cost" if not matters else ("yes" if first else "**no**")
        out.append(f"| {name} | {expected} | {cost:.2f} | {'-' if predicted is None else f'{predicted:.2f}'} | "
                   f"{'-' if error is None else f'{error:+.0%}'} | {shown} | {warnings} |")
    out += ["", "Healthy controls:", ""]
    for name, warnings in tally.controls:
        out.append(f"- {name}: {', '.join(warnings) if warnings else 'no warning'}")
    if tally.real:
        out += ["", "Traces of real programs, recorded by Nsight Systems, PyTorch and nvprof, whose true cause is known:", "",
                "| trace | expected first | right | warnings |", "| --- | --- | --- | --- |"]
        out += [f"| {what} | {expected} | {'yes' if right else '**no**'} | {', '.join(warnings)} |" for what, expected, right, warnings in tally.real]
    missed = [f"{what} {share(values):.1%}" for what, values in (("first", tally.firsts), ("speedup", tally.speedups)) if share(values) < GOALS[what]]
    missed += [f"precision of {n} {v:.2f}" for n, v in sorted(precision.items()) if v < GOALS["precision"]]
    missed += [f"recall of {n} {v:.2f}" for n, v in sorted(recall.items()) if v < GOALS["recall"]]
    missed += [f"a warning on {name}" for name, warnings in tally.controls if warnings]
    missed += [f"the first cause of {what}" for what, _, right, _ in tally.real if not right]
    out += ["", REMARK]
    out += ["", "Goals missed: " + ("; ".join(missed) if missed else "none") + ".", ""]
    return "\n".join(out), not missed


def with_options(options, more):
    """The options with one of them changed."""
    name = more.split(" ")[0]
    return re.sub(rf"{name} \S+", more, options) if more else options


def measure_pair(tools, tally, where, base, faults, expected, own):
    """A cause is expected where the run without it is shorter; the gain of both is that of all remedies."""
    both = base + "".join(f" --fault {fault}" for fault in faults)
    report, found, clean_ms = tools.report(both), tools.findings(both), tools.step_ms(base)
    now_ms = tools.step_ms(both)
    costs = [rule for other, rule in zip(reversed(faults), expected) if now_ms / tools.step_ms(f"{base} --fault {other}") - 1 >= COSTS]
    for rule in costs:
        tally.rule(rule)["right" if any(f["rule"] == rule for f in found) else "missed"] += 1
    for f in found:
        if is_warning(f) and f["rule"] not in expected and f["rule"] not in own and not f["explained_by"]:
            tally.rule(f["rule"])["false"] += 1
    causes = [f for f in found if not f["explained_by"] and f["rule"] not in own]
    first, cost = bool(causes) and causes[0]["rule"] in expected, now_ms / clean_ms
    matters = cost - 1 >= COSTS
    promised = max([report["all_remedies_speedup"]] + [f["predicted_speedup"] for f in causes[:1]])  # of one cause alone, its own
    predicted = promised if len(costs) == 2 and not own else None
    error = predicted / cost - 1 if predicted and matters else None
    if matters:
        tally.firsts.append(first)
    if error is not None:
        tally.speedups.append(abs(error) <= SPEEDUP_WITHIN)
    tally.rows.append((f"{where}, {' and '.join(faults)}", " and ".join(expected), cost, predicted, error, first, matters,
                       ", ".join(f["rule"] for f in found if is_warning(f))))


def measure(tools, machines, programs, data):
    tally = Tally()
    for machine, gpus in machines.items():
        for program, options in programs.items():
            base = f"{options} --box {machine} --gpus {gpus}"
            own_of = {}

            def own(of):
                if of not in own_of:
                    own_of[of] = {f["rule"] for f in tools.findings(of)}
                return own_of[of]

            tally.control(f"{program} on {machine}", tools.findings(base))
            for fault, expected, more in FAULTS:
                clean = f"{with_options(options, '--feed-ahead off' if fault in FEEDS else more)} --box {machine} --gpus {gpus}"
                if fault == "collective-on-compute-stream" and program == "resnet":
                    continue  # its gradients are too few to matter
                if fault == "unused-gpu" and gpus < 3 or fault in FEEDS and program == "resnet":
                    continue
                faulty = f"{clean} --fault {fault}"
                now_ms = tools.step_ms(faulty)
                without = clean
                if fault == "unused-gpu":  # the same global batch: its remedy is all GPUs at the step of these
                    now_ms = now_ms * gpus / (gpus - 1) if now_ms else None
                if now_ms is None:
                    continue
                tally.add(f"{program} on {machine}, {fault}", tools.findings(faulty), expected, own(clean), now_ms, tools.step_ms(without))
            for faults, expected in PAIRS:
                if gpus < 3 and "slow-clock:2:60" in faults:
                    continue
                measure_pair(tools, tally, f"{program} on {machine}", base, faults, expected, own(base))
        for name, options, remedied, expected in CHOICES:
            box = f" --box {machine} --gpus {gpus}"
            tally.add(f"{name} on {machine}", tools.findings(options + box), expected, {f["rule"] for f in tools.findings(remedied + box)} - set(expected),
                      tools.step_ms(options + box), tools.step_ms(remedied + box))
    for name, options, remedied, expected in SCENARIOS:
        own = {f["rule"] for f in tools.findings(remedied)} - set(expected)
        tally.add(name, tools.findings(options), expected, own, tools.step_ms(options), tools.step_ms(remedied))
    for what, file, first, others in REAL:
        path = os.path.join(data, file)
        if os.path.exists(path):
            tally.add_real(what, tools.findings_of(path), first, others)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--out", help="write the page here as well")
    parser.add_argument("--data", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data"), help="traces of real programs; left out where there are none")
    parser.add_argument("--quick", action="store_true", help="one machine")
    options = parser.parse_args()
    machines = dict(list(MACHINES.items())[:1]) if options.quick else MACHINES
    text, reached = page(measure(Tools(options.build), machines, PROGRAMS, options.data))
    print(text)
    if options.out:
        with open(options.out, "w") as file:
            file.write(text)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
