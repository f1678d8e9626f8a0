#!/usr/bin/env bash
# The recorder on a real NVIDIA GPU: counts and times against CUPTI's own, overhead against an unrecorded run, PyTorch where it is
# installed. Prints a table of pass and fail; status 0 all passed, 1 something failed, 77 no GPU here.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
  echo "no GPU"
  exit 77
fi
nvidia-smi -L

cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
row() {  # row NAME pass|FAIL|skip DETAIL
  printf '%-44s %-5s %s\n' "$1" "$2" "$3"
  [ "$2" = FAIL ] && failed=1
  return 0
}
equal() { if [ "$2" = "$3" ]; then row "$1" pass "$2"; else row "$1" FAIL "$2, expected $3"; fi; }
rows() { sqlite3 -readonly "$1" "SELECT count(*) FROM $2" 2>/dev/null || echo 0; }

if [ ! -x build/bin/gputrace ]; then
  scripts/build.sh gputrace gputrace_guest || { echo "the build failed"; exit 1; }
fi
gputrace=$root/build/bin/gputrace
"$gputrace" doctor

if ! command -v nvcc >/dev/null; then
  row "workload" skip "no nvcc"
else
  nvcc -O2 -I"$cuda/include" -o "$work/workload" tests/gpu/workload.cu -ldl || { row "workload builds" FAIL ""; exit 1; }
  cupti_lib=$(find -L "$cuda" -name 'libcupti.so*' 2>/dev/null | head -n 1)
  g++ -std=c++17 -shared -fPIC -O2 -I"$cuda/include" -I"$cuda/extras/CUPTI/include" -o "$work/counter.so" tests/gpu/activity_counter.cpp \
    "$cupti_lib" -Wl,-rpath,"$(dirname "$cupti_lib")" || row "counter builds" FAIL ""

  expected=$("$work/workload" 40)
  read -r _ kernels _ copies _ fills _ ranges <<<"$expected"
  cupti=$(CUDA_INJECTION64_PATH=$work/counter.so "$work/workload" 40 2>&1 >/dev/null | grep '^cupti')
  read -r _ _ cupti_kernels cupti_kernel_ns _ cupti_copies _ _ cupti_fills _ <<<"$cupti"
  "$gputrace" record --no-report -o "$work/t.sqlite" -- "$work/workload" 40 >/dev/null
  equal "exit status passes through" $? 0
  equal "kernels, against the program" "$(rows "$work/t.sqlite" CUPTI_ACTIVITY_KIND_KERNEL)" "$kernels"
  equal "kernels, against CUPTI" "$(rows "$work/t.sqlite" CUPTI_ACTIVITY_KIND_KERNEL)" "$cupti_kernels"
  equal "copies" "$(rows "$work/t.sqlite" CUPTI_ACTIVITY_KIND_MEMCPY)" "$copies"
  equal "copies, against CUPTI" "$(rows "$work/t.sqlite" CUPTI_ACTIVITY_KIND_MEMCPY)" "$cupti_copies"
  equal "fills, against CUPTI" "$(rows "$work/t.sqlite" CUPTI_ACTIVITY_KIND_MEMSET)" "$cupti_fills"
  equal "fills" "$(rows "$work/t.sqlite" CUPTI_ACTIVITY_KIND_MEMSET)" "$fills"
  equal "NVTX ranges" "$(sqlite3 -readonly "$work/t.sqlite" "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59")" "$ranges"
  recorded_ns=$(sqlite3 -readonly "$work/t.sqlite" 'SELECT sum("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL')
  ratio=$(awk -v a="$recorded_ns" -v b="$cupti_kernel_ns" 'BEGIN { printf "%.3f", a / b }')
  # Two runs of the same kernels differ by clocks and neighbours, hardly by more than a tenth.
  if awk -v r="$ratio" 'BEGIN { exit !(r > 0.9 && r < 1.1) }'; then row "kernel time / CUPTI's own" pass "$ratio"; else row "kernel time / CUPTI's own" FAIL "$ratio"; fi

  seconds() { local start end; start=$(date +%s%N); "$@" >/dev/null 2>&1; end=$(date +%s%N); echo $(((end - start) / 1000000)); }
  plain_ms=$(seconds "$work/workload" 2000)
  recorded_ms=$(seconds "$gputrace" record --no-report --force -o "$work/o.sqlite" -- "$work/workload" 2000)
  row "2,000 steps, unrecorded / recorded in all" info "$plain_ms ms / $recorded_ms ms (start-up and conversion included)"
fi

if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
  cat >"$work/train.py" <<'PY'
import torch
model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(256, 1024).cuda(), torch.randint(0, 10, (256,)).cuda()
for step in range(20):
    torch.cuda.nvtx.range_push(f"step {step}")
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
PY
  "$gputrace" record --no-report -o "$work/torch.sqlite" -- python3 "$work/train.py" >/dev/null
  equal "PyTorch: exit status" $? 0
  equal "PyTorch: steps" "$("$gputrace" report "$work/torch.sqlite" --format json | python3 -c 'import json,sys; print(json.load(sys.stdin)["steps"]["count"])')" 20
else
  row "PyTorch" skip "no torch with CUDA"
fi
exit $failed
