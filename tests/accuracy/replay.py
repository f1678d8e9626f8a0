#!/usr/bin/env python3
"""How well the replay predicts: `gputrace whatif` on a recorded run against the same run with the change really made.

    tests/accuracy/replay.py [--build build] [--out docs/replay.md] [--quick]

Changes are made in the trainer (a switch, a fault left out) or in the machine it runs on (a profile with a faster link, GPU or host).
Prints a Markdown page with the replay error of every recorded run and the error of every prediction; exit status 1 where a goal is missed.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

GOAL_REPLAY_ERROR = 0.03                      # of every run
GOALS = [(0.05, 0.80), (0.15, 0.95)]          # predicted step within this of the real one, in at least this share
STEPS = 9

MACHINES = {"4x-titan-x": 4, "4x-v100-nvlink": 4, "2x-rtx-4090": 2, "4x-k80": 4}
PROGRAMS = {
    "resnet": "--model resnet --framework newer --layout nchw --padding fused --batch-norm fused --update all-reduce --batch 512",
    "resnet, explicit padding": "--model resnet --framework newer --layout nhwc --padding explicit --batch-norm unfused --update host --pinned on --batch 64",
    "mlp": "--model mlp --update all-reduce --pinned on --batch 16",
}

# What is changed in a machine profile: key -> factor.
FASTER_GPU = {"clock_mhz": 2, "memory_gbps@gpu": 2, "load_latency_cycles": 1}
HOST_KEYS = ["framework_op_us", "newer_framework_op_us", "launch_us", "copy_us", "event_us", "synchronize_us"]
FASTER_HOST = {key: 0.5 for key in HOST_KEYS}

# (name, whatif arguments, machine factors)
MACHINE_CHANGES = [
    ("GPUs twice as fast", "--scale kernels=0.5", FASTER_GPU),
    ("links twice as fast", "--scale copies=0.5", {"pcie_generation": 1, "nvlink": 2}),
    ("host calls and hand-overs in half the time", "--scale host=0.5", FASTER_HOST),
]
# (name, whatif arguments, options of the recorded run, options of the changed run); both runs have the program's too.
PROGRAM_CHANGES = [
    ("readbacks left out", "--do remove-readbacks", "--fault read-loss-every-op", ""),
    ("synchronisation left out", "--do remove-syncs", "--fault sync-every-kernel", ""),
    ("allocation before the loop", "--do remove-allocations", "--fault alloc-in-loop:5", ""),
    ("pauses left out", "--do remove-pauses", "--fault periodic-pause:3:100", ""),
    ("straggler evened out", "--do even-out-threads", "--fault straggler:1:100", ""),
    ("slow clock evened out", "--do even-out-gpus", "--fault slow-clock:1:60", ""),
    ("an op moved from the host to the GPU", "--do move-ops-to-gpu", "--fault op-on-host", ""),
    ("towers side by side", "--do start-threads-together", "--fault serialized-towers", ""),
]
MLP_CHANGES = [
    ("the next batch copied ahead", "--do prefetch-input", "--feed-ahead off", "--feed-ahead on"),
    ("slow link evened out", "--do even-out-links", "--fault slow-link:1", ""),
    ("small copies merged", "--do merge-copies", "--fault tiny-copies", ""),
    ("pinned input", "--do pin-copies", "--fault pageable-input", ""),
    ("copies in place of migrations", "--do copy-instead-of-migrating", "--fault unified-memory", ""),
]
# (name, whatif arguments, options of the recorded run, of the changed run), on the scenario's own machine.
SCENARIO_CHANGES = [
    ("A-base-real, batches read ahead", "--do hide-input", "--scenario A-base-real", "--scenario A-base-real --prefetch 4"),
    ("A-nhwc-real on 1 GPU, batches read ahead", "--do hide-input", "--scenario A-nhwc-real --gpus 1", "--scenario A-nhwc-real --gpus 1 --prefetch 4"),
    ("A-base, padding inside the convolutions", "--remove kernels:TensorPaddingOp", "--scenario A-base", "--scenario A-base --padding fused"),
    ("A-base on 1 GPU, padding inside the convolutions", "--remove kernels:TensorPaddingOp", "--scenario A-base --gpus 1", "--scenario A-base --gpus 1 --padding fused"),
    ("A-base, update beside the next forward pass", "--do overlap-update", "--scenario A-base --update host", "--scenario A-base --update host-overlapped"),
    ("A-base, all-reduce in place of the host", "--do reduce-on-gpus", "--scenario A-base", "--scenario A-base --update all-reduce"),
    ("B-tower-cpu, ops on the GPUs that they were asked for", "--do move-ops-to-gpu", "--scenario B-tower-cpu", "--scenario B-tower"),
    ("B-tower, pinned memory", "--do pin-copies", "--scenario B-tower", "--scenario B-tower --pinned on"),
    ("B-1gpu, pinned memory", "--do pin-copies", "--scenario B-1gpu", "--scenario B-1gpu --pinned on"),
]


class Lab:
    def __init__(self, build, folder):
        self.build, self.folder, self.traces, self.real = build, folder, {}, {}
        self.profiles = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../trainer/virtual_box/profiles")

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))

    def trainer(self, options):
        return [os.path.join(self.build, "bin/trainer"), "--arithmetic", "off", "--steps", str(STEPS)] + options.split()

    def trace(self, options):
        """A trace of the run; None where the trainer refuses the options."""
        if options not in self.traces:
            path = os.path.join(self.folder, f"trace{len(self.traces)}.sqlite")
            recorded = self.run([os.path.join(self.build, "bin/gputrace"), "record", "--no-report", "-o", path, "--"] + self.trainer(options))
            self.traces[options] = path if recorded.returncode == 0 else None
        return self.traces[options]

    def whatif(self, options, change):
        """Recorded and predicted step in ms, and the replay error."""
        done = self.run([os.path.join(self.build, "bin/gputrace"), "whatif", self.trace(options)] + change.split())
        step = re.search(r"^step +([\d.]+ \S+) recorded, ([\d.]+ \S+) predicted", done.stdout, re.M)
        error = re.search(r"^replay error +<?([\d.]+) %", done.stdout, re.M)
        if not step or not error:
            sys.exit(f"replay: whatif {change} on '{options}' failed: {done.stderr.strip()}{done.stdout}")
        return in_ms(step.group(1)), in_ms(step.group(2)), float(error.group(1)) / 100

    def step_ms(self, options):
        """The mean step of the run itself, as its trace has it: predictions are of means too."""
        if options not in self.real:
            self.real[options] = self.whatif(options, "--scale kernels=1")[0] if self.trace(options) else None
        return self.real[options]

    def changed_machine(self, machine, factors):
        with open(os.path.join(self.profiles, machine + ".toml")) as file:
            text = file.read()
        section, lines = "", []
        for line in text.splitlines():
            header = re.match(r"\[+([\w.]+)\]+", line)
            section = header.group(1) if header else section
            value = re.match(r"(\w+)( = )([\d.]+)(.*)", line)
            if value:
                key, number = value.group(1), float(value.group(3))
                factor = factors.get(f"{key}@{section}", factors.get(key))
                if key == "generation" and section == "pcie" and "pcie_generation" in factors:
                    line = f"generation = {int(number) + factors['pcie_generation']}"
                elif section == "nvlink" and key == "gbps_per_direction" and "nvlink" in factors:
                    line = f"{key} = {number * factors['nvlink']}"
                elif factor:
                    line = f"{key} = {number * factor}"
            lines.append(line)
        path = os.path.join(self.folder, f"{machine}-{abs(hash(str(factors)))}.toml")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return path


def in_ms(text):
    number, unit = text.split()
    return float(number) * {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}[unit]


class Table:
    def __init__(self):
        self.rows, self.errors, self.replay_errors = [], [], {}

    def add(self, run, change, recorded_options, lab, arguments, real_options):
        real_ms = lab.step_ms(real_options) if lab.trace(recorded_options) else None
        if real_ms is None:
            return
        now_ms, predicted_ms, replay_error = lab.whatif(recorded_options, arguments)
        self.replay_errors[recorded_options] = replay_error
        error = predicted_ms / real_ms - 1
        self.errors.append(abs(error))
        self.rows.append(f"| {run} | {change} | {now_ms:.2f} | {real_ms:.2f} | {predicted_ms:.2f} | {error:+.1%} | {replay_error:.2%} |")

    def share_within(self, limit):
        return sum(error <= limit for error in self.errors) / len(self.errors)

    def goals_met(self):
        return all(self.share_within(limit) >= goal for limit, goal in GOALS) and max(self.replay_errors.values()) <= GOAL_REPLAY_ERROR

    def page(self):
        lines = ["# How well the replay predicts", "",
                 "Made by `tests/accuracy/replay.py`, on the virtual machine: simulated, times are modelled. Each row records a run, asks "
                 "`gputrace whatif` for the step time after a change, makes the change, and records again. Steps are means in milliseconds. The "
                 "replay error is what `whatif` prints: how far a replay is off that knows the graph and only typical delays on the GPU.", ""]
        for limit, goal in GOALS:
            lines.append(f"- predicted step within {limit:.0%} of the real one: {self.share_within(limit):.1%} of {len(self.errors)} (goal {goal:.0%})")
        worst = max(self.replay_errors.values())
        lines += [f"- replay error: at most {worst:.2%} in {len(self.replay_errors)} recorded runs (goal {GOAL_REPLAY_ERROR:.0%})", "", REMARK, "",
                  "| run | change | recorded | real | predicted | error | replay error |", "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
        return "\n".join(lines + self.rows) + "\n"


REMARK = """The larger misses have two causes. Where host threads take turns (`resnet, explicit padding`), a trace does not say who holds the turn while one thread allocates and the others stand between two calls: the time is taken to be everybody's, so leaving the allocations out is predicted to win too little, and evening a straggler out too much. And where kernels of several GPUs or streams come closer together after a change, the modelled machine's copies share links and its kernels share a GPU in ways that the recorded run did not show (`synchronisation left out`, `towers side by side`). Three smaller ones are known too: a merged copy is taken to have its link alone, and two GPUs of the V100 machine share one (`small copies merged`); the host's writing of a batch into managed memory stays in a prediction, and the run that it is held against has its batch in pinned memory already (`copies in place of migrations`); and where threads take turns, read-backs left out are predicted to win too much."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--out", help="where the page goes; default: printed")
    parser.add_argument("--quick", action="store_true", help="one machine, and no scenarios")
    arguments = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(arguments.build, folder)
        for machine, gpus in list(MACHINES.items())[: 1 if arguments.quick else None]:
            for program, options in PROGRAMS.items():
                base = f"{options} --gpus {gpus} --box {machine}"
                run = f"{program} on {machine}"
                for name, change, factors in MACHINE_CHANGES:
                    table.add(run, name, base, lab, change, f"{options} --gpus {gpus} --box {lab.changed_machine(machine, factors)}")
                for name, change, now, then in PROGRAM_CHANGES + (MLP_CHANGES if program == "mlp" else []):
                    table.add(run, name, f"{base} {now}".strip(), lab, change, f"{base} {then}".strip())
        for name, change, now, then in [] if arguments.quick else SCENARIO_CHANGES:
            table.add(name, change, now, lab, change, then)
    page = table.page()
    if arguments.out:
        with open(arguments.out, "w") as file:
            file.write(page)
    else:
        print(page, end="")
    return 0 if table.goals_met() else 1


if __name__ == "__main__":
    sys.exit(main())
