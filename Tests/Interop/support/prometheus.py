"""A real Prometheus on loopback, which scrapes servers of the test."""
import json
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

from .ports import free_port

MONITORING = Path(__file__).resolve().parents[3] / "config/monitoring"


class Prometheus:
    """One Prometheus with the alert rules of `config/monitoring`.

    `targets` are addresses that it scrapes as the job `latchkey`.
    """

    def __init__(self, folder: Path, targets: list[str]):
        self.url = f"http://127.0.0.1:{free_port()}"
        configuration = folder / "prometheus.json"
        # JSON is YAML, too.
        configuration.write_text(json.dumps({
            # A scrape may take as long as the interval at most, and a slow machine needs seconds.
            "global": {"scrape_interval": "5s", "scrape_timeout": "5s", "evaluation_interval": "1s"},
            "rule_files": [str(MONITORING / "alerts.yaml")],
            "scrape_configs": [{"job_name": "latchkey", "static_configs": [{"targets": targets}]}],
        }))
        self.log = open(folder / "prometheus.log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address={self.url.removeprefix('http://')}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )

    def get(self, path: str, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=10) as answer:
            body = json.load(answer)
        assert body["status"] == "success", body
        return body["data"]

    def query(self, expression: str) -> list[dict]:
        """The series that an expression yields now."""
        return self.get("query", query=expression)["result"]

    def wait_for(self, expression: str, timeout: float = 60) -> list[dict]:
        """The series of an expression, once there are some."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                if found := self.query(expression):
                    return found
            except OSError:
                assert self.process.poll() is None, "Prometheus ended"
            assert time.monotonic() < deadline, f"nothing for {expression}"
            time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
