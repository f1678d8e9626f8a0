#!/bin/sh
# Makes a small corpus for spool_fuzz: spools of recorded test programs, cut to 64 KiB, as files and as blocks without headers.
# Usage: tests/fuzz/make_spool_corpus.sh BUILD_FOLDER CORPUS_FOLDER; the build must have gputrace and collector_tests.
set -eu
build=$(cd "$1" && pwd)
corpus=$2
mkdir -p "$corpus"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for mode in "nvtx" "each" "kernels 40" "steps 3" "threads 16"; do
  # shellcheck disable=SC2086  # the mode and its number are two words
  FAKE_CUPTI=$build/tests/fake_cupti/libcupti.so.13 "$build/bin/gputrace" record --no-report --keep-spool --force \
    -o "$work/t.sqlite" -- "$build/tests/collector_child" $mode 2> "$work/messages" || { cat "$work/messages" >&2; exit 1; }
  for spool in "$work"/t.sqlite.spool-*/*.spool; do
    name=$(echo "$mode" | tr ' ' -)
    python3 - "$spool" "$corpus/$name" <<'PYTHON'
import struct, sys
spool = open(sys.argv[1], "rb").read()
open(sys.argv[2] + "-file", "wb").write(b"\0" + spool[:65536])
blocks, at = b"\1", 4096
while at + 24 <= len(spool) and len(blocks) < 65536:
    magic, size, lane, sequence, checksum = struct.unpack_from("<IIIIQ", spool, at)
    payload = spool[at + 24:at + 24 + size]
    blocks += struct.pack("<BH", lane & 3, min(size, 65528)) + payload[:65528]
    at += 24 + size
open(sys.argv[2] + "-blocks", "wb").write(blocks)
PYTHON
  done
  rm -rf "$work"/t.sqlite*
done
ls "$corpus" | wc -l
