#!/usr/bin/env bash
# Installs what gputrace is built and tested with: Debian packages, and NVIDIA's own header wheels where there is no CUDA
# toolkit. Asks nothing, does nothing twice. Where it cannot, it prints what is needed and leaves with status 1.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }
mapfile -t packages < <(grep -v '^#' scripts/packages-debian.txt)

give_up() {
  printf '%s\n' "$1" >&2
  printf 'gputrace needs these Debian 12 packages, or their likes elsewhere:\n  %s\n' "${packages[*]}" >&2
  printf 'and the headers of CUPTI, the CUDA runtime and NVTX 3 (CUDA toolkit 11.8 or newer, or the wheels\n' >&2
  printf 'nvidia-cuda-cupti, nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-nvtx unpacked into .deps/cuda).\n' >&2
  exit 1
}

missing=()
if command -v dpkg-query >/dev/null; then
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
else
  give_up "This is not a Debian system, so nothing was installed."
fi

if ((${#missing[@]})); then
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || give_up "Installing packages needs root, and there is no sudo."
    as_root=(sudo)
  fi
  # A registry that stumbles once is asked again before the user is bothered.
  for attempt in 1 2 3; do
    "${as_root[@]}" apt-get -q update >/dev/null || true
    if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
        "${missing[@]}" >/tmp/gputrace-apt.$$ 2>&1; then break; fi
    tail -n 3 /tmp/gputrace-apt.$$ >&2
    [ "$attempt" = 3 ] && give_up "apt-get could not install: ${missing[*]}"
    sleep 5
  done
  rm -f /tmp/gputrace-apt.$$
fi

have_header() {
  local root
  for root in "${CUDA_HOME:-/usr/local/cuda}" /usr/local/cuda /usr .deps/cuda/nvidia/*; do
    [ -e "$root/include/$1" ] || [ -e "$root/extras/CUPTI/include/$1" ] || continue
    return 0
  done
  return 1
}

if [ "${GPUTRACE_CUDA_WHEELS:-}" = force ] || ! { have_header cupti.h && have_header cuda_runtime_api.h && have_header nvtx3/nvToolsExt.h; }; then
  say "no CUDA toolkit here: fetching NVIDIA's header wheels into .deps/cuda"
  mkdir -p .deps/cuda .deps/wheels
  python3 -m pip --version >/dev/null 2>&1 || {
    as_root=(); [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get -q install -y --no-install-recommends python3-pip >/dev/null
  }
  python3 -m pip download -q --no-deps -d .deps/wheels 'nvidia-cuda-cupti==13.0.*' 'nvidia-cuda-runtime==13.0.*' \
    'nvidia-cuda-crt==13.0.*' 'nvidia-nvtx==13.0.*' || give_up "NVIDIA's wheels could not be fetched."
  for wheel in .deps/wheels/*.whl; do python3 -m zipfile -e "$wheel" .deps/cuda; done
  rm -r .deps/wheels
fi
