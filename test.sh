#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Arguments go to ctest: ./test.sh -R trace
set -euo pipefail
cd "$(dirname "$0")"

scripts/install_dependencies.sh
scripts/build.sh
printf '\n== running the tests\n'
exec ctest --preset release -j "$(nproc)" "$@"
