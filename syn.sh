f=$1; o=/dev/shm/reports/syn_$(echo $f | tr / _).log
if g++ -std=gnu++20 -fsyntax-only -DFMT_SHARED -Wall -Wextra -Wshadow -DGPUTRACE_SOURCE_DIR='"x"' -DGPUTRACE_BINARY_DIR='"y"' -I. $f > $o 2>&1; then echo "ok $f"; else echo "BAD $f"; grep -m3 "error" $o; fi
