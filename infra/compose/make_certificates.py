"""An authority of one's own and a server's certificate by it, so that TLS can be verified without anybody's help.

    python infra/compose/make_certificates.py FOLDER HOST [HOST ...]

Writes ca.pem, node.pem and node.key; what is there already stays. The authority's key is not kept: nobody can sign with it again.
"""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAYS = 825  # what browsers accept at most


def make(folder: Path, hosts: list[str]) -> bool:
    """False where certificates are there already."""
    if (folder / "node.key").exists():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer, subject = _name("filingforest local authority"), _name(hosts[0])
    ca = _builder(issuer, issuer, authority).add_extension(x509.BasicConstraints(True, 0), critical=True)
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in [*hosts, "localhost"]])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    node = _builder(subject, issuer, key).add_extension(names, critical=False).add_extension(usage, critical=False)
    for file, built in (("ca.pem", ca), ("node.pem", node)):
        (folder / file).write_bytes(built.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "node.key").touch(mode=0o644)  # of a volume that only this host's containers see, each with another user
    (folder / "node.key").write_bytes(private)
    return True


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    return builder.serial_number(x509.random_serial_number()).not_valid_before(now).not_valid_after(now + dt.timedelta(days=DAYS))


if __name__ == "__main__":
    made = make(Path(sys.argv[1]), sys.argv[2:])
    print("certificates written" if made else "certificates are there already")
