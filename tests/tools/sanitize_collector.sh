#!/bin/sh
# Builds the collector and its tests with ThreadSanitizer and with AddressSanitizer, and runs them: programs with the library inside,
# records handed over by many threads at once, spools converted by many workers. Usage: tests/tools/sanitize_collector.sh [tsan|asan]...
# Folders: build-tsan, build-asan. Status 0: both clean.
set -eu
cd "$(dirname "$0")/../.."
launcher=
command -v ccache >/dev/null && launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache
[ $# -gt 0 ] || set -- tsan asan
for sanitizer in "$@"; do
  cmake --preset "$sanitizer" -DGPUTRACE_STAGES="trace;collector" $launcher >"$sanitizer.log" 2>&1 || { cat "$sanitizer.log" >&2; exit 1; }
  rm "$sanitizer.log"
  cmake --build --preset "$sanitizer" --target collector_tests
  echo "== collector_tests with $sanitizer"
  # The programs of the tests write their own output to files; a report of the sanitizer there fails the test that compares it.
  "build-$sanitizer/tests/collector_tests"
done
