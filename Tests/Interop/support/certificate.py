"""A self-signed certificate for localhost, made by OpenSSL's own tool."""
import subprocess
from pathlib import Path


class Certificate:
    def __init__(self, folder: Path, names=("DNS:localhost", "IP:127.0.0.1")):
        self.certificate = folder / "cert.pem"
        self.key = folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=" + ",".join(names),
             "-keyout", str(self.key), "-out", str(self.certificate)],
            check=True, capture_output=True,
        )
