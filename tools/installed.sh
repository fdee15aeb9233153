#!/bin/sh
# What `make install` put where, so that `make uninstall` takes away just that. Both with the same BUILD, DESTDIR (may be empty) and PREFIX:
#   installed.sh before BUILD DESTDIR PREFIX   notes the folders that are there already
#   installed.sh after BUILD DESTDIR PREFIX    keeps the list of files and of new folders in BUILD/installed
#   installed.sh remove BUILD DESTDIR PREFIX   removes these files, and these folders if they are empty
set -eu
what=$1 build=$2 destdir=$3 prefix=$4
records=$build/installed
record=$records/$(printf '%s:%s' "$destdir" "$prefix" | cksum | tr ' ' -)
folders=$record.folders
LC_ALL=C
export LC_ALL

list_folders() { if [ -d "$destdir$prefix" ]; then find -H "$destdir$prefix" -type d | sort; fi; }

# A second installation adds to the list of the first, whose files it may have left behind.
keep() {
    new=$record.new
    { if [ -f "$record" ]; then grep '^[fd] ' "$record"; fi
      awk '{ print "f " $0 }' "$build/install_manifest.txt" # whose last line has no end
      list_folders | comm -13 "$folders" - | sed 's/^/d /'; } | sort -u >"$new"
    { printf '# make uninstall DESTDIR=%s PREFIX=%s\n' "$destdir" "$prefix"; cat "$new"; } >"$record"
    rm -f "$new" "$folders"
}

lacks_record() {
    echo "uninstall: nothing was installed below $destdir$prefix from $build" >&2
    for other in "$records"/*; do
        if [ -f "$other" ]; then sed -n '1s/^# /uninstall: there is: /p' "$other" >&2; fi
    done
    exit 1
}

# Without a record, what `cmake --install` left, as far as it is there.
find_record() {
    [ -f "$record" ] && return
    if [ -n "$destdir" ] || [ ! -f "$build/install_manifest.txt" ]; then lacks_record; fi
    mkdir -p "$records"
    awk -v start="$prefix/" 'index($0, start) == 1 { print $0 }' "$build/install_manifest.txt" | while IFS= read -r file; do
        if [ -e "$file" ] || [ -L "$file" ]; then printf 'f %s\n' "$file"; fi
    done >"$record"
    if [ ! -s "$record" ]; then rm -f "$record" && lacks_record; fi
}

remove() {
    find_record
    count=$(sed -n 's/^f //p' "$record" | while IFS= read -r file; do
        if [ -e "$destdir$file" ] || [ -L "$destdir$file" ]; then
            rm -f -- "$destdir$file" && echo removed
        fi
    done | wc -l)
    sed -n 's/^d //p' "$record" | sort -r | while IFS= read -r folder; do
        rmdir -- "$folder" 2>/dev/null || :
    done
    left=$(sed -n 's/^f //p' "$record" | while IFS= read -r file; do
        if [ -e "$destdir$file" ] || [ -L "$destdir$file" ]; then echo "$destdir$file"; fi
    done)
    if [ -n "$left" ]; then echo "uninstall: could not be removed: $left" >&2; exit 1; fi
    rm -f "$record"
    echo "$((count)) files removed below $destdir$prefix"
}

case $what in
before) mkdir -p "$records"; list_folders >"$folders" ;;
after) keep ;;
remove) remove ;;
esac
