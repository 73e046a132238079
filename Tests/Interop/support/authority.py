"""A certificate authority of one's own, and a certificate for localhost that it signed: what a private issuer has."""
import subprocess
from pathlib import Path


class Authority:
    def __init__(self, folder: Path):
        self.certificate = folder / "authority.pem"
        self._key = folder / "authority.key"
        self._folder = folder
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-subj", "/CN=Authority of the tests", "-addext", "basicConstraints=critical,CA:TRUE",
                      "-keyout", str(self._key), "-out", str(self.certificate))

    def issue(self, name: str = "localhost") -> tuple[Path, Path]:
        """Certificate and key for a name."""
        certificate, key, request = (self._folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        extensions = self._folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName=DNS:{name}\nbasicConstraints=CA:FALSE\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                      "-keyout", str(key), "-out", str(request))
        self._openssl("x509", "-req", "-in", str(request), "-CA", str(self.certificate), "-CAkey", str(self._key),
                      "-CAcreateserial", "-days", "2", "-extfile", str(extensions), "-out", str(certificate))
        return certificate, key

    @staticmethod
    def _openssl(*arguments: str):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)
