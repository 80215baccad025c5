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
