#!/bin/sh
# The main job on a small recorded archive: derived metrics, defined on the command line and in a file.
# Usage: demo.sh BIN, where BIN holds the commands and the archive demo/demo.
set -eu
bin=$1
run() {
  printf '$'
  for w in "$@"; do case $w in *' '*) printf " '%s'" "$w" ;; *) printf ' %s' "$w" ;; esac; done
  echo
  PCP_DERIVED_CONFIG= TZ=UTC "$@"
  echo
}
cd "$bin"
run ./pminfo -a demo/demo kernel mem
run ./pminfo -a demo/demo -d -f disk.dev.total
run ./pminfo -a demo/demo -df -r 'disk.dev.avgsz = instant(disk.dev.total_bytes) / instant(disk.dev.total)' disk.dev.avgsz
run ./pminfo -a demo/demo -tdf -c ../test/demo.conf mem.util.used_pct disk.avgsz
run ./pmval -a demo/demo -t 2min -s 4 -f 1 disk.dev.total
