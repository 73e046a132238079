#!/bin/sh
# Fuzzes every subject that has seeds in Corpus, one after the other.
#
#   Tests/Fuzz/run.sh [seconds per subject, 60 by default] [subject…]
#
# An input that breaks something is left in fuzz-findings/; give it to the program again to see it break:
#   LATCHKEY_FUZZ_SUBJECT=json .build/fuzz/release/Fuzz fuzz-findings/json-crash-…
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(ls Tests/Fuzz/Corpus)

export LATCHKEY_FUZZ=1
# A trap would start a backtracer inside the sanitizer's process, and it hangs.
export SWIFT_BACKTRACE=enable=no

swift build -c release --scratch-path .build/fuzz --product Fuzz

mkdir -p fuzz-findings
failed=""
for subject in "$@"; do
    echo "== $subject, $seconds s"
    # New inputs that reach further are kept beside the build, the seeds stay as they are.
    grown=.build/fuzz/corpus/$subject
    mkdir -p "$grown"
    LATCHKEY_FUZZ_SUBJECT=$subject .build/fuzz/release/Fuzz \
        -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="fuzz-findings/$subject-" "$grown" "Tests/Fuzz/Corpus/$subject" || failed="$failed $subject"
done

[ -z "$failed" ] || { echo "Failed:$failed; the inputs are in fuzz-findings/" >&2; exit 1; }
