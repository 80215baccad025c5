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

# It makes one package of all files of a directory, tests included, and a program in the working directory imports that. So tests of another package, and
# commands, move to a package of their own below their directory for that time. What tests show to those of other packages is shown to all.
packages='s/^package (main|[a-z0-9]+_test)$/package ossfuzz/; /^\/\/go:debug/d'
mapfile -t commands < <(ls -d cmd/pm*)
mapfile -t external < <(grep -rlE --include='*_test.go' '^package [a-z0-9]+_test' cmd derive internal lib)
mapfile -t exports < <(find derive internal lib -name export_test.go -exec grep -LE '^package [a-z0-9]+_test' {} +)
trap 'for file in "${external[@]}" "${exports[@]}"; do if [[ -e $file.hidden ]]; then mv "$file.hidden" "$file"; fi; done
  for file in "${exports[@]}"; do rm -f "${file%_test.go}_ossfuzz.go"; done
  find cmd derive internal lib -name ossfuzz -prune -exec rm -r {} +' EXIT
grep -rl --include='*_test.go' '^func Fuzz' cmd derive internal lib | sort >"$OUT/targets"
for dir in "${commands[@]}"; do
  mkdir "$dir/ossfuzz"
  for file in "$dir"/*.go; do sed -E "$packages" "$file" >"$dir/ossfuzz/${file##*/}"; done
done
for file in "${external[@]}"; do
  dir=$(dirname "$file")/ossfuzz
  mkdir -p "$dir"
  echo 'package ossfuzz' >"$dir/doc.go"
  sed -E "$packages" "$file" >"$dir/${file##*/}"
  mv "$file" "$file.hidden"
done
for file in "${exports[@]}"; do
  cp "$file" "${file%_test.go}_ossfuzz.go"
  mv "$file" "$file.hidden"
done

while read -r file; do
  dir=$(dirname "$file")
  in=$dir
  [[ $dir != */testdata* ]] || continue
  [[ -e $file && ! -e $dir/ossfuzz/${file##*/} ]] || in=$dir/ossfuzz
  for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(f \*testing\.F).*/\1/p' "$in/${file##*/}"); do
    name=${dir//\//_}_$target
    (cd "$in" && compile_native_go_fuzzer_v2 "$module/$in" "$target" "$name")
    if [[ -d $dir/testdata/fuzz/$target ]]; then corpus2ossfuzz -o "$OUT/${name}_seed_corpus.zip" -corpus "$dir/testdata/fuzz/$target"; fi
  done
done <"$OUT/targets"
rm "$OUT/targets"
