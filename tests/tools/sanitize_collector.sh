#!/bin/sh
# The collector with ThreadSanitizer and with AddressSanitizer: first programs with the library inside, in which many threads hand over
# records, use NVTX, fork and leave; then, unless --programs-only is given, its tests, which convert by many workers too.
# Usage: tests/tools/sanitize_collector.sh [--programs-only] [tsan|asan]...
# Folders: build-tsan, build-asan. Status 0: no report of a sanitizer, and all tests passed.
set -eu
cd "$(dirname "$0")/../.."
programs_only=
[ "${1:-}" = --programs-only ] && programs_only=1 && shift
[ $# -gt 0 ] || set -- tsan asan
launcher=
command -v ccache >/dev/null && launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
# As the tests have it: signals end the programs as without a sanitizer, and a fork is no mistake.
export ASAN_OPTIONS=handle_segv=0:handle_abort=0 TSAN_OPTIONS=handle_segv=0:handle_abort=0:die_after_fork=0

run_programs() {  # run_programs BUILD_FOLDER
  work=$(mktemp -d)
  reports=0
  for mode in "kernels 200000" "each" "payloads" "steps 200" "threads 400" "exit-while-busy" "fork" "nvtx" "for-ms 500" "kill 1000"; do
    range=
    case $mode in steps*) range=nvtx:chosen ;; esac
    for per_thread in "" 1; do
      spools=$(mktemp -d "$work/spools-XXXXXX")
      # shellcheck disable=SC2086  # the mode and its number are two words
      env CUDA_INJECTION64_PATH="$PWD/$1/lib/libgputrace_collector.so" NVTX_INJECTION64_PATH="$PWD/$1/lib/libgputrace_collector.so" \
        GPUTRACE_SPOOL_DIR="$spools" GPUTRACE_FLUSH_PERIOD_MS=20 GPUTRACE_TRACE=cuda,nvtx,memory,page-faults \
        GPUTRACE_CAPTURE_RANGE="$range" FAKE_CUPTI="$PWD/$1/tests/fake_cupti/libcupti.so.13" \
        ${per_thread:+FAKE_CUPTI_PER_THREAD=1} "$1/tests/collector_child" $mode >"$work/out" 2>"$work/err" || true
      if grep -q -e Sanitizer -e 'runtime error' "$work/err"; then
        echo "== $mode${per_thread:+, a buffer for each thread}"
        cat "$work/err"
        reports=$((reports + 1))
      fi
    done
  done
  rm -rf "$work"
  echo "programs: $reports with reports"
  [ "$reports" -eq 0 ]
}

for sanitizer in "$@"; do
  cmake --preset "$sanitizer" -DGPUTRACE_STAGES="trace;collector" $launcher >"$sanitizer.log" 2>&1 || { cat "$sanitizer.log" >&2; exit 1; }
  rm "$sanitizer.log"
  cmake --build --preset "$sanitizer" --target gputrace_guest fake_cupti collector_child
  echo "== programs with $sanitizer"
  run_programs "build-$sanitizer"
  [ -n "$programs_only" ] && continue
  cmake --build --preset "$sanitizer" --target collector_tests
  echo "== collector_tests with $sanitizer"
  # Not with the leak checker: it writes remarks to the standard error of programs that fork, which a test compares.
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "build-$sanitizer/tests/collector_tests"
done
