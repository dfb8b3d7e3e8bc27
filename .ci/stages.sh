# What .ci/run and .ci/nightly share: fresh checkouts and environments, and what is done where a program is missing.
# They source this file. It works in the checkout, and in a folder of its own that is removed at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
is_ci=${CI:-}
export CI=true # property tests try the same examples every time
export PIP_DISABLE_PIP_VERSION_CHECK=1 DEBIAN_FRONTEND=noninteractive

# The minutes and seconds until now, and what comes.
say() { printf '\n== %d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }

# A copy of what is committed, so that nothing that was built here is used.
fresh() {
    git clone --quiet . "$work/$1"
    if [ -d ../shared ] && [ ! -e "$work/shared" ]; then ln -s "$(cd ../shared && pwd)" "$work/shared"; fi
    cd "$work/$1"
}

# environment NAME EXTRAS [VARIABLE=VALUE ...]: go to the fresh checkout of that name; the first time, make it, and
# install linkfix there with these extras.
environment() {
    if [ -d "$work/$1" ]; then cd "$work/$1" && return; fi
    fresh "$1"
    python3 -m venv .venv
    env "${@:3}" .venv/bin/pip install --quiet ".${2:+[$2]}"
}

# The two commands are the first two ```sh blocks of README.
readme() { awk -v want="$1" '/^```sh$/ {n++; inside = (n == want); next} /^```$/ {inside = 0} inside' README.md; }

# present NAME ...: whether a program of one of these names is there. A stage, which is a function, is none.
present() {
    local name
    for name in "$@"; do if type -P "$name" >/dev/null; then return; fi; done
    return 1
}

# Install Debian's packages, where this may.
debian() {
    if [ "$(id -u)" = 0 ] && present apt-get; then
        apt-get update -qq && apt-get install -y -qq "$@" >/dev/null
    fi
}

# left_out WHAT WHY: say what is not checked. In CI everything has to be.
left_out() {
    echo "left out: $1: $2"
    if [ -n "$is_ci" ]; then exit 1; fi
}

# stages ALL STAGE ...: the stages that are named, or all; the first that fails is the last.
stages() {
    local stage names
    names=$(chosen "$@")
    for stage in $names; do "$stage"; done
}

# The same, but all of them, and then a line for those that failed.
all_stages() {
    local stage names status failed=""
    names=$(chosen "$@")
    for stage in $names; do
        set +e # a command of a condition would go on after its errors
        (set -e && "$stage")
        status=$?
        set -e
        if [ "$status" != 0 ]; then failed="$failed $stage"; fi
    done
    if [ -n "$failed" ]; then
        say "failed:$failed"
        exit 1
    fi
}

chosen() {
    local all=$1 stage
    shift
    for stage in "$@"; do
        if ! grep -qxF -e "$stage" <<<"${all// /$'\n'}"; then
            echo "there is no stage $stage; the stages are: $all" >&2
            exit 2
        fi
    done
    echo "${*:-$all}"
}
