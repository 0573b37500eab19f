"""Writes infra/opensearch/server.lock again, after server.toml names another version: `python infra/servers/opensearch_lock.py`.

Maven resolves what each part needs at run time; what OpenSearch itself has is left out of the modules, which see it too.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
from infra.servers.opensearch_home import COPY_PLUGIN, LOCK, Artifact, fetch, read_parts

_LINE = re.compile(r"\s+([\w.-]+):([\w.-]+):(jar):([\w.-]+):(?:compile|runtime)")  # classified archives (other machines' natives) left out


def resolve(folder: str, artifacts: list[str], version: str, scratch: Path) -> list[Artifact]:
    """Everything that `artifacts` need at run time, themselves included."""
    wanted = [(*name.split(":"), version)[:3] for name in artifacts]
    needs = "".join(
        f"<dependency><groupId>{g}</groupId><artifactId>{a}</artifactId><version>{v}</version></dependency>" for g, a, v in wanted
    )
    pom, out = scratch / "pom.xml", scratch / "list.txt"
    pom.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local</groupId><artifactId>part'
        f"</artifactId><version>1</version><packaging>pom</packaging><dependencies>{needs}</dependencies></project>"
    )
    goal = COPY_PLUGIN.rpartition(":")[0] + ":list"
    subprocess.run(["mvn", "-B", "-q", "-f", str(pom), goal, "-DincludeScope=runtime", f"-DoutputFile={out}"], check=True)
    found = [match.groups() for line in out.read_text().splitlines() if (match := _LINE.match(line))]
    return [Artifact(folder, group, name, number, kind) for group, name, kind, number in found]


def main() -> None:
    """Resolve, fetch, hash, write."""
    parts = read_parts()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        library = resolve("lib", parts["lib"]["artifacts"], parts["version"], place)
        shared, everything = {(a.group, a.name) for a in library}, list(library)
        for name, module in parts["modules"].items():
            found = resolve(f"modules/{name}", module["artifacts"], parts["version"], place)
            everything += [a for a in found if (a.group, a.name) not in shared]
        for name, coordinates in parts["plugins"].items():
            everything.append(Artifact(f"plugins/{name}", *coordinates.split(":")))
        fetch(everything, place / "home")
        LOCK.write_text("".join(_line(a, place / "home") for a in sorted(everything, key=lambda a: (a.folder, a.group, a.name))))


def _line(artifact: Artifact, home: Path) -> str:
    sha = hashlib.sha256((home / artifact.folder / artifact.file).read_bytes()).hexdigest()
    return f"{artifact.folder} {artifact.group}:{artifact.name}:{artifact.version}:{artifact.kind} {sha}\n"


if __name__ == "__main__":
    main()
