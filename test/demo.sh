#!/bin/sh
# The main job: derived metrics, live on this machine from the collectors inside the program, and over a small recorded archive.
# Usage: demo.sh BIN, where BIN holds the commands and the archive demo/demo.
set -eu
bin=$1
run() {
  printf '$'
  for w in "$@"; do case $w in *[' *']*) printf " '%s'" "$w" ;; *) printf ' %s' "$w" ;; esac; done
  echo
  PCP_DERIVED_CONFIG= TZ=UTC "$@"
  echo
}
cd "$bin"
case $(uname -s) in
Linux)
  run ./pminfo -L -df -r 'mem.used_pct = 100 * (mem.physmem - mem.freemem) / mem.physmem' mem.used_pct kernel.all.load
  run ./pmval -L -s 3 -t 0.5 -f 1 kernel.all.cpu.user
  ;;
*)
  run ./pminfo -L -df -r 'bins.mean = avg(sample.bin)' bins.mean
  ;;
esac
run ./pminfo -a demo/demo kernel mem
run ./pminfo -a demo/demo -df -r 'disk.dev.avgsz = instant(disk.dev.total_bytes) / instant(disk.dev.total)' disk.dev.avgsz
run ./pminfo -a demo/demo -tdf -c ../test/demo.conf mem.util.used_pct disk.avgsz
run ./pmval -a demo/demo -t 2min -s 4 -f 1 disk.dev.total
if [ -x ./pmderive ]; then
  echo "\$ ./pmderive -a demo/demo explain 'rate(sum(disk.dev.total_bytes))'"
  ./pmderive -a demo/demo explain 'rate(sum(disk.dev.total_bytes))'
fi
