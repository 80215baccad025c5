#!/bin/bash
# OSS-Fuzz's build script: compiles each fuzz target, as that image does for Go, with the files of its testdata/fuzz as its first inputs.
# The names of the programs are OSS-Fuzz's; OUT is where the fuzzers belong.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$(sed -n 's/^module //p' go.mod)
# The inputs have the form of go test; libFuzzer wants bytes, from which the arguments of a target are made.
go install github.com/orijtech/otils/corpus2ossfuzz@latest
# What compiles a target imports this in its place of package testing.
printf 'package version\n\nimport _ "github.com/AdamKorcz/go-118-fuzz-build/testing"\n' >lib/version/oss_fuzz.go
go mod tidy
grep -rl --include='*_test.go' '^func Fuzz' cmd derive lib | sort | while read -r file; do
  dir=$(dirname "$file")
  [[ $dir != */testdata* ]] || continue
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(f \*testing\.F).*/\1/p' "$file"); do
    name=${dir//\//_}_$target
    compile_native_go_fuzzer_v2 "$module/$dir" "$target" "$name"
    if [[ -d $dir/testdata/fuzz/$target ]]; then corpus2ossfuzz -o "$OUT/${name}_seed_corpus.zip" -corpus "$dir/testdata/fuzz/$target"; fi
  done
done
