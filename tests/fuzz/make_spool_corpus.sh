#!/bin/sh
# Makes a small corpus for spool_fuzz, such as tests/fuzz/spool_corpus: spools of recorded test programs, as blocks without headers
# and with the machine's own names and paths made unreadable. Usage: tests/fuzz/make_spool_corpus.sh BUILD_FOLDER CORPUS_FOLDER; the
# build must have gputrace and collector_tests.
set -eu
build=$(cd "$1" && pwd)
corpus=$2
mkdir -p "$corpus"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for mode in "nvtx" "payloads" "each" "kernels 8" "steps 1" "threads 8"; do
  # shellcheck disable=SC2086  # the mode and its number are two words
  FAKE_CUPTI=$build/tests/fake_cupti/libcupti.so.13 "$build/bin/gputrace" record --no-report --keep-spool --force -t cuda,nvtx,memory,page-faults \
    -o "$work/t.sqlite" -- "$build/tests/collector_child" $mode 2> "$work/messages" || { cat "$work/messages" >&2; exit 1; }
  for spool in "$work"/t.sqlite.spool-*/*.spool; do
    name=$(echo "$mode" | tr ' ' -)
    python3 - "$spool" "$corpus/$name" "$build" "$(hostname)" <<'PYTHON'
import struct, sys
spool = open(sys.argv[1], "rb").read()
for own in sys.argv[3:]:
    spool = spool.replace(own.encode(), b"x" * len(own.encode()))
blocks, at = b"\1", 4096
while at + 24 <= len(spool) and len(blocks) < 65536:
    magic, size, lane, sequence, checksum = struct.unpack_from("<IIIIQ", spool, at)
    payload = spool[at + 24:at + 24 + size]
    blocks += struct.pack("<BH", lane & 3, min(size, 65528)) + payload[:65528]
    at += 24 + size
open(sys.argv[2], "wb").write(blocks)
PYTHON
  done
  rm -rf "$work"/t.sqlite*
done
ls "$corpus" | wc -l
