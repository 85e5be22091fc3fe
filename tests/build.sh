#!/usr/bin/env bash
# build.sh FILE COMMAND... -- runs COMMAND... -o FILE, unless FILE is current; the same as a function, `made`, where this is sourced.
#
# FILE is current if nothing that it was made from has changed: the command, the version of the compiler, the optional libraries that
# are here, and by their contents FILE itself, the command's files and each header that was read (FILE.d). FILE.made lists all of it and is written
# last, so that what fails, is killed, or reads a file while somebody changes it is made again. A command with -fsyntax-only makes an
# empty FILE. It prints nothing but what the compiler says, and where MADE_ECHO is set the command.

# What a compiler finds by itself: the optional libraries that are here, and the headers that come before those of the system. (A header
# that is not here, or comes before another of its name, is in no list of dependencies. Those of gpuarr's own folders are included by them.)
if [ -z "${MADE_WITH:-}" ]; then
    MADE_WITH="$("$(dirname "${BASH_SOURCE[0]}")/../tools/libs.sh" here) $(IFS=: && for each in . ${CPATH:-} ${C_INCLUDE_PATH:-} ${CPLUS_INCLUDE_PATH:-}; do
        find "$each" -maxdepth 2 -name '*.h' 2>/dev/null | grep -vE '^\./(build|examples|gpuarr|out|tests|tools)/' | LC_ALL=C sort
    done | sha256sum)"
fi
export MADE_WITH

declare -A made_versions
made_version() { # made_version COMMAND: in $made_version; the command's own file counts as one of the command's files
    if [ -z "${made_versions[$1]:-}" ]; then
        made_versions[$1]=$(command -v "$1") && [ -f "$1" ] || made_versions[$1]+=" $("$1" --version 2>&1)"
    fi
    made_version=${made_versions[$1]}
}

made_of() { # made_of FILE COMMAND...: the list
    local file=$1 each
    shift
    made_version "$1"
    printf '%q ' "$@"
    printf '\n%s\n' "$made_version" "$MADE_WITH ${CPATH:-} ${C_INCLUDE_PATH:-} ${CPLUS_INCLUDE_PATH:-} ${LIBRARY_PATH:-}"
    {
        for each in "$file" "${@#@}"; do [ ! -f "$each" ] || printf '%s\n' "$each"; done # (of @file, the file)
        # target: file file \ ...; a blank in a name is written with a backslash
        [ ! -f "$file.d" ] || sed 's/\\$//; s/\\ /\x01/g' "$file.d" | tr -s ' ' '\n' | sed '0,/:$/d; /^$/d; s/\x01/ /g'
    } | LC_ALL=C sort -u | xargs -r -d '\n' sha256sum -- 2>&1 || echo "not all can be read: $EPOCHREALTIME"
}

made() { # made FILE COMMAND...
    local file=$1 lock status=0 each output=-o reads=
    shift
    mkdir -p "$(dirname "$file")"
    exec {lock}>"$file.lock"
    flock "$lock" # somebody else may be making it, or a compiler that outlived its caller, which holds the lock as well
    if [ ! -e "$file" ] || [ ! -e "$file.made" ] || ! made_of "$file" "$@" | cmp -s - "$file.made"; then
        rm -f "$file.made"
        : >"$file.begun"
        for each; do
            case $each in
            *.c | *.cu | *.cpp) reads=yes ;;
            -fsyntax-only) output= ;;
            esac
        done
        [ -z "${MADE_ECHO:-}" ] || printf '%s\n' "$* -o $file"
        "$@" ${reads:+-MD -MF "$file.d"} ${output:+-o "$file"} || status=$?
        if [ $status = 0 ]; then
            [ -n "$output" ] || : >"$file"
            made_of "$file" "$@" >"$file.made.new"
            # the contents are those that were read, unless a file was changed (or put in its place) since the command began
            if [ -z "$(sed -n 's/^[0-9a-f]\{64\}  //p' "$file.made.new" | grep -vxF "$file" | xargs -d '\n' bash -c 'find "$@" -maxdepth 0 -newercm "$0"' "$file.begun")" ]; then
                mv "$file.made.new" "$file.made"
            fi
        fi
        rm -f "$file.begun" "$file.made.new"
    fi
    exec {lock}>&-
    return $status
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    made "$@"
fi
