#!/usr/bin/env bash
# Fetch the page's libraries from npm again; wants npm. Versions: see the README beside them.
set -euo pipefail
cd "$(dirname "$0")/../src/query2box/serving/page/vendor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() { # name version: unpack a package of npm
  npm pack --silent --pack-destination "$work" "$1@$2" >/dev/null
  mkdir "$work/$1"
  tar -xzf "$work/$1-$2.tgz" -C "$work/$1" --strip-components=1
  cp "$work/$1/LICENSE" "LICENSE-$1.txt"
}

fetch preact 11.2.0
fetch htm 3.1.1
fetch cytoscape 3.34.4

# Browsers look for a bare name in no folder: it becomes the file beside. No maps are shipped.
strip() { sed -e 's|from"preact"|from"./preact.js"|g' -e '/^\/\/# sourceMappingURL=/d' "$1"; }
strip "$work/preact/dist/preact.mjs" >preact.js
strip "$work/preact/hooks/dist/hooks.mjs" >hooks.js
strip "$work/htm/dist/htm.mjs" >htm.js
strip "$work/cytoscape/dist/cytoscape.esm.min.mjs" >cytoscape.js
