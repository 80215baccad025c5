#!/bin/bash
# OSS-Fuzz's build script: compiles fuzz targets, as that image does for Go, with the files of their testdata/fuzz as their first inputs.
# The names of the programs are OSS-Fuzz's; OUT is where the fuzzers belong.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$(sed -n 's/^module //p' go.mod)
# The inputs have the form of go test; libFuzzer wants bytes, from which the arguments of a target are made.
go install github.com/orijtech/otils/corpus2ossfuzz@latest
# What compiles a target imports this in its place of package testing.
printf 'package version\n\nimport _ "github.com/AdamKorcz/go-118-fuzz-build/testing"\n' >lib/version/oss_fuzz.go
go mod tidy
# It makes one package of all files of a directory, tests included, and a program in the working directory imports that. So there must be no test of another
# package in the directory, and a target in such a test, or in a command, cannot be compiled.
external=$(grep -rlE --include='*_test.go' '^package [a-z0-9]+_test' cmd derive lib)
trap 'for file in $external; do if [[ -e $file.hidden ]]; then mv "$file.hidden" "$file"; fi; done' EXIT
grep -rl --include='*_test.go' '^func Fuzz' cmd derive lib | sort >"$OUT/targets"
for file in $external; do mv "$file" "$file.hidden"; done
while read -r file; do
  dir=$(dirname "$file")
  [[ $dir != */testdata* ]] || continue
  from=$file
  [[ -e $from ]] || from=$file.hidden
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(f \*testing\.F).*/\1/p' "$from"); do
    name=${dir//\//_}_$target
    if [[ $from != "$file" ]] || grep -q '^package main' "$from"; then
      echo "left out: $dir $target is not in a package that can be imported"
      continue
    fi
    (cd "$dir" && compile_native_go_fuzzer_v2 "$module/$dir" "$target" "$name")
    if [[ -d $dir/testdata/fuzz/$target ]]; then corpus2ossfuzz -o "$OUT/${name}_seed_corpus.zip" -corpus "$dir/testdata/fuzz/$target"; fi
  done
done <"$OUT/targets"
rm "$OUT/targets"
