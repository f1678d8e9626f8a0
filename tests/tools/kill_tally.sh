#!/bin/sh
# Kills a recorded program at random points and prints the tally: tries, kernels lost that had been handed over before the last
# flush, holes. Usage: tests/tools/kill_tally.sh [TRIES] [BUILD_FOLDER]; the build must have collector_tests.
set -eu
tries=${1:-300}
build=${2:-build}
program=$build/tests/collector_tests
if [ ! -x "$program" ]; then
  echo "kill_tally.sh: $program is not there; build it: ninja -C $build collector_tests" >&2
  exit 1
fi
GPUTRACE_KILL_TRIES=$tries exec "$program" "Killed at random points*"
