#!/bin/sh
# Makes .venv if needed, installs the project into it, and runs it: `./run.sh COMMAND` is `sparktui COMMAND`.
# Only here: test, check, perf, shots, web. All talk goes to stderr; stdout belongs to the command.
set -eu

say() { printf '%s\n' "$*" >&2; }
fail() { say "run.sh: $1"; shift; for line in "$@"; do say "  $line"; done; exit 2; }

here() {
    file=$0
    case $file in */*) ;; *) file=$(command -v -- "$file") ;; esac
    while [ -L "$file" ]; do
        target=$(readlink -- "$file")
        case $target in /*) file=$target ;; *) file=${file%/*}/$target ;; esac
    done
    CDPATH='' cd -- "${file%/*}" && pwd -P
}

root=$(here)
venv=$root/.venv
python=$venv/bin/python
lock=$root/.venv.lock

# What an installation was made from. Equal text means nothing has to be installed.
fingerprint() { printf '%s %s %s\n' "$(cksum < "$root/pyproject.toml")" "$root" "$(readlink -f -- "$python" 2>/dev/null || :)"; }

is_current() { # extra name, or "plain"
    [ -x "$python" ] && [ -f "$venv/installed-$1" ] && [ "$(cat "$venv/installed-$1")" = "$(fingerprint)" ]
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    for name in ${SPARKTUI_PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if found=$(command -v -- "$name" 2>/dev/null) && is_new_enough "$found"; then printf '%s\n' "$found"; return 0; fi
    done
    return 1
}

refuse_python() {
    version=$(python3 -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null || :)
    fail "Python 3.11 or newer is needed${version:+; python3 here is $version}." \
        "Debian, Ubuntu: apt install python3.11 python3.11-venv    macOS: brew install python@3.12" \
        "or install uv, which brings its own. SPARKTUI_PYTHON=/path/to/python3.12 names one that is not on PATH."
}

make_venv() {
    rm -rf -- "$venv"
    if base=$(find_python); then
        if "$base" -c 'import venv, ensurepip' >/dev/null 2>&1 && "$base" -m venv -- "$venv" >&2; then return 0; fi
        rm -rf -- "$venv"
        if command -v uv >/dev/null 2>&1 && uv venv --quiet --python "$base" "$venv" >&2; then return 0; fi
        rm -rf -- "$venv"
        if "$base" -m pip --version >/dev/null 2>&1 && "$base" -m venv --without-pip -- "$venv" >&2; then
            printf '%s\n' "$base" > "$venv/pip-of"
            return 0
        fi
        rm -rf -- "$venv"
        number=$("$base" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        fail "$base cannot make a virtual environment: its venv or ensurepip module is missing." \
            "Debian, Ubuntu: apt install python$number-venv (or python3-venv). Then run this again."
    elif command -v uv >/dev/null 2>&1; then
        uv venv --quiet --python '>=3.11' "$venv" >&2 || refuse_python
    else
        refuse_python
    fi
}

pip_install() {
    if "$python" -m pip --version >/dev/null 2>&1; then
        "$python" -m pip install -qq --disable-pip-version-check --no-input "$@" >&2
    elif [ -f "$venv/pip-of" ]; then
        "$(cat "$venv/pip-of")" -m pip --python "$python" install -qq --disable-pip-version-check --no-input "$@" >&2
    elif command -v uv >/dev/null 2>&1; then
        uv pip install --quiet --python "$python" "$@" >&2
    else
        fail "there is no pip in $venv and none to install with." "Delete $venv and run this again."
    fi
}

# A symbolic link is made in one step and carries the holder's process id, on every system alike.
take_lock() {
    waited=0
    until ln -s "$$" "$lock" 2>/dev/null; do
        if [ ! -L "$lock" ] && [ ! -w "$root" ]; then
            fail "cannot write to $root, where .venv belongs." "Make the folder writable, or copy the project to one that is."
        fi
        holder=$(readlink -- "$lock" 2>/dev/null || :)
        if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then break_lock "$holder"; continue; fi
        if [ "$waited" -eq 2 ]; then say "Another start is installing; waiting for it …"; fi
        if [ "$waited" -ge 900 ]; then fail "another start has been installing for 15 minutes." "If none is, delete $lock and run this again."; fi
        sleep 1
        waited=$((waited + 1))
    done
    trap 'rm -f -- "$lock"' EXIT
    trap 'exit 4' INT TERM HUP
}

# Taken away by renaming first: of two that see a dead holder only one gets it, and a lock made meanwhile is put back.
break_lock() {
    mv -- "$lock" "$lock.$$" 2>/dev/null || return 0
    if [ "$(readlink -- "$lock.$$")" != "$1" ]; then mv -- "$lock.$$" "$lock" 2>/dev/null || :; else rm -f -- "$lock.$$"; fi
}

install() { # plain, dev, web or report
    take_lock
    if ! is_current "$1"; then
        if ! "$python" -c '' >/dev/null 2>&1 || ! is_new_enough "$python"; then
            say "First start here: making .venv and installing into it (about a minute) …"
            make_venv
        else
            say "Installing${1:+ ($1)} into .venv …"
        fi
        target=$root
        if [ "$1" != plain ]; then target="$root[$1]"; fi
        pip_install --editable "$target" || fail "installing into .venv failed; the reason is above." "Once the cause is gone, run this again."
        fingerprint > "$venv/installed-$1"
        fingerprint > "$venv/installed-plain"
    fi
    rm -f -- "$lock"
    trap - EXIT INT TERM HUP
}

need() { is_current "$1" || install "$1"; }

command=${1:-}
case $command in
    test | check | perf | shots)
        shift
        need dev
        cd -- "$root"
        ;;
    web | report) need "$command" ;;
    *) need plain ;;
esac

# what a person is told to type can then be typed; tests expect the plain name
case $command in
    test | check | perf | shots) unset SPARKTUI_COMMAND ;;
    *)
        SPARKTUI_COMMAND=$0
        export SPARKTUI_COMMAND
        ;;
esac

case $command in
    # most tests wait for a process or a clock: several at once end sooner, also on one core
    test) exec "$python" -m pytest --numprocesses 3 --dist worksteal "$@" ;;
    check)
        "$python" -m ruff check . && "$python" -m mypy && exec "$python" -m pytest "$@"
        ;;
    perf) exec "$python" -m tests.perf "$@" ;;
    shots) exec "$python" -m tests.shots "$@" ;;
    # -P keeps the current folder off the module path: a stray yaml.py there must not be imported.
    *) exec "$python" -P -m sparktui "$@" ;;
esac
