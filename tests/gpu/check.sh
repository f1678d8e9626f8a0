#!/usr/bin/env bash
# The recorder on a real NVIDIA GPU: what this machine can record, counts and times against CUPTI's own, overhead against an
# unrecorded run and against a trivial collector, the bundled trainer and its kernels, PyTorch where it is installed. In under five
# minutes with what it builds. Prints a table of pass and fail; status 0 all passed, 1 something failed, 77 no GPU here.
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
  scripts/build.sh gputrace gputrace_guest trainer || { echo "the build failed"; exit 1; }
fi
gputrace=$root/build/bin/gputrace
"$gputrace" doctor
equal "doctor: sees the driver" "$("$gputrace" doctor --json | python3 -c 'import json,sys; print({c["check"]: c["status"] for c in json.load(sys.stdin)["checks"]}["driver"])')" ok

if ! command -v nvcc >/dev/null; then
  row "workload" skip "no nvcc"
else
  nvcc -O2 -I"$cuda/include" -o "$work/workload" tests/gpu/workload.cu -ldl || { row "workload builds" FAIL ""; exit 1; }
  cupti_lib=$(find -L "$cuda" -name 'libcupti.so*' 2>/dev/null | head -n 1)
  g++ -std=c++17 -shared -fPIC -O2 -I"$cuda/include" -I"$cuda/extras/CUPTI/include" -o "$work/counter.so" tests/gpu/activity_counter.cpp \
    "$cupti_lib" -Wl,-rpath,"$(dirname "$cupti_lib")" || row "counter builds" FAIL ""

  expected=$("$work/workload" 40)
  read -r _ kernels _ copies _ fills _ ranges <<<"$(head -n 1 <<<"$expected")"
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

  # The loop's own time, the best of three runs: start-up and conversion are not in it.
  best_us() { for _ in 1 2 3; do "$@" 2>/dev/null | awk '/^loop_us/ { print $2 }'; done | sort -n | head -n 1; }
  plain=$(best_us "$work/workload" 1000)
  counted=$(best_us env CUDA_INJECTION64_PATH="$work/counter.so" "$work/workload" 1000)
  recorded=$(best_us "$gputrace" record --no-report --force -o "$work/o.sqlite" -- "$work/workload" 1000)
  row "1,000 steps: plain / CUPTI alone / recorded" info "$plain / $counted / $recorded us"
  # CUPTI's own cost is not ours; what we add to it is, and 5 % is what runs of the same program differ by.
  against() {  # against NAME LIMIT OURS THEIRS
    if awk -v a="$3" -v b="$4" -v l="$2" 'BEGIN { exit !(b > 0 && a / b < l) }'; then row "$1" pass "$(awk -v a="$3" -v b="$4" 'BEGIN { printf "%.3f", a / b }')"
    else row "$1" FAIL "$(awk -v a="$3" -v b="$4" 'BEGIN { printf "%.3f", b > 0 ? a / b : 0 }'), limit $2"; fi
  }
  against "recorded / CUPTI alone" 1.05 "$recorded" "$counted"
  against "recorded / unrecorded" 1.25 "$recorded" "$plain"
fi

trainer=$root/build/bin/trainer
if [ ! -x "$trainer" ] || ! "$trainer" --help 2>/dev/null | grep -q -e '--backend'; then
  row "trainer" skip "not built, or without a choice of backend"
elif ! "$trainer" --backend cuda --scenario B-1gpu --steps 1 >/dev/null 2>"$work/trainer.err"; then
  row "trainer" skip "$(head -n 1 "$work/trainer.err")"
else
  "$gputrace" record --no-report -o "$work/trainer.sqlite" -- "$trainer" --backend cuda --scenario B-1gpu --steps 8 >/dev/null
  equal "trainer: exit status" $? 0
  report=$("$gputrace" report "$work/trainer.sqlite" --format json)
  field() { python3 -c 'import json,sys; r = json.load(sys.stdin); print(eval(sys.argv[1], {"r": r}))' "$1" <<<"$report"; }
  equal "trainer: steps" "$(field 'r["steps"]["count"]')" 8
  equal "trainer: not simulated" "$(field 'r["trace"]["simulated"]')" False
  equal "trainer: kernels were recorded" "$(field 'len(r["kernels"]) > 0')" True
fi
if [ -x build/bin/trainer_kernel_check ]; then
  timeout 120 build/bin/trainer_kernel_check >"$work/kernels.log" 2>&1
  case $? in
    0) row "trainer: kernels against the CPU" pass "" ;;
    77) row "trainer: kernels against the CPU" skip "$(tail -n 1 "$work/kernels.log")" ;;
    *) row "trainer: kernels against the CPU" FAIL "$(tail -n 1 "$work/kernels.log")" ;;
  esac
else
  row "trainer: kernels against the CPU" skip "trainer_kernel_check is not built"
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
