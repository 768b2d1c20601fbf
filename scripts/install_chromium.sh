#!/usr/bin/env bash
# Install the browser that the page's tests drive, where that may be done. Never fails: without
# a browser those tests are skipped, and say so.
if [ -x /usr/bin/chromium ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "no /usr/bin/chromium, and not ours to install: the page's tests will be skipped" >&2
  exit 0
fi
if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null 2>&1; then
  echo "chromium could not be installed: the page's tests will be skipped" >&2
fi
exit 0
