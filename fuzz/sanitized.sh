#!/usr/bin/env bash
# Builds the hot modules with gcc's address and undefined-behaviour sanitizers in a copy of this checkout, and runs the
# tests of HTML and of the compiled modules, and 20,000 inputs of the fuzzer on them. The first fault of memory or arithmetic ends it.
#   bash fuzz/sanitized.sh [PYTHON]       a Python that has the extra `test`; python3 if not given
# Environment: SEED and COUNT, of the inputs. It takes four minutes of processor time, and so is no part of CI.
set -euo pipefail
python=$(command -v "${1:-python3}") # before the folder changes: the path may be relative
case $python in /*) ;; *) python=$PWD/$python ;; esac
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seed=${SEED:-$RANDOM}
count=${COUNT:-20000}

# What the tests read beside the checkout is not there: those tests are skipped.
cp -r pyproject.toml setup.py README.md LICENSE linkfix fuzz tests fixtures docs "$work"
cd "$work"
find linkfix -name '*.so' -delete

# CPython's own CFLAGS have -fwrapv, which would hide signed overflow: -fno-wrapv comes after it.
export CFLAGS="-O1 -g -fno-wrapv -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
export LDFLAGS="-fsanitize=address,undefined"
LINKFIX_COMPILED=1 "$python" setup.py -q build_ext --inplace 2>/dev/null

# Python itself is not built with them: the runtime has to be there first, and what CPython keeps to its end is no leak.
LD_PRELOAD=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)
export LD_PRELOAD
export ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0:halt_on_error=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export PYTHONMALLOC=malloc  # so that every object is one that the sanitizer knows
export PYTHONPATH=$work

"$python" -m pytest -q -n0 -p no:cacheprovider tests/kernels tests/html tests/document/test_document.py tests/audit/test_reader.py \
    --deselect tests/kernels/test_compiled.py
"$python" -m fuzz --seconds 100000 --count "$count" --seed "$seed" --only only_linkfix_errors_are_raised \
    --only new_urls_are_read_back
