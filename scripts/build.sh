#!/usr/bin/env bash
# Builds in release mode into build/ (programs in build/bin, libraries in build/lib): everything, or the targets given.
set -euo pipefail
cd "$(dirname "$0")/.."

launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
printf '\n== building into build/ (the first time takes some minutes)\n'
cmake --preset release "${launcher[@]}" >build.log 2>&1 || { tail -n 20 build.log >&2; exit 1; }
mv build.log build/configure.log
targets=()
(($#)) && targets=(--target "$@")
cmake --build --preset release "${targets[@]}"
