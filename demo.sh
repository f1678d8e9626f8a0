#!/usr/bin/env bash
# From a fresh clone to a diagnosis: installs what is missing, builds, records the bundled trainer on a 4-GPU machine, prints
# the report and keeps it. Where there is no GPU the machine is simulated, and every report says so.
# ./demo.sh [SCENARIO] [FOLDER]: default A-base, ./demo
set -euo pipefail
cd "$(dirname "$0")"
scenario=${1:-A-base}
out=${2:-demo}

scripts/install_dependencies.sh
scripts/build.sh gputrace gputrace_guest gputrace-view trainer virtual_cupti

mkdir -p "$out"
trace="$out/$scenario.sqlite"
printf '\n== recording: build/bin/trainer --scenario %s\n' "$scenario"
build/bin/gputrace record --force --no-report -o "$trace" -- build/bin/trainer --scenario "$scenario" --backend virtual --steps 8
printf '\n== the report\n'
build/bin/gputrace report "$trace"
build/bin/gputrace report "$trace" --force -o "$out/$scenario.txt"
build/bin/gputrace report "$trace" --format json --force -o "$out/$scenario.json"

cat <<END

== written
  $trace   the trace (SQLite; Nsight Systems' table and column names)
  $out/$scenario.txt, $out/$scenario.json   the report

== what to try next
  ./demo.sh B-tower-cpu                               the split where every op sits on the CPU
  build/bin/gputrace stats $trace
  build/bin/gputrace view $trace                      the timeline (needs a display; --screenshot OUT.png does not)
  build/bin/trainer --help                            other runs of the bundled trainer
  build/bin/gputrace record -- ./your-program         your own program
END
