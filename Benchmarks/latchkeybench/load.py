"""wrk, and what it measures."""

import json
import os
import signal
import subprocess
import threading

SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "wrk")
JSON = "application/json"


def threads(connections: int) -> int:
    return min(connections, max(1, os.cpu_count() or 1))


def wrk(
    url: str, connections: int, seconds: float, script: str = "report.lua", *arguments: str, pace: float | None = None,
    done: threading.Event | None = None,
) -> dict:  # fmt: skip
    """Runs wrk and gives rate (1/s), p50, p99 and max (µs), requests and errors.

    With `pace`, so many requests begin each second, and `late` says how many had to wait for a free connection. With `done`, wrk ends
    as soon as that is set: it would otherwise wait for its time to be over, also after a script's last request.
    """
    command = ["wrk", f"-t{threads(connections)}", f"-c{connections}", f"-d{seconds:g}s", "--timeout", "10s"]
    command += ["--latency", "-s", os.path.join(SCRIPTS, script), url, "--", *arguments]
    environment = os.environ | ({"PACE": f"{pace / threads(connections)}"} if pace else {})
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            if done and done.wait(seconds):
                process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=seconds + 30)
        finally:
            process.kill()
    for line in output.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    raise RuntimeError(f"wrk said nothing of use: {output}{errors}")


def write_lines(path: str, lines: list[str]) -> str:
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in lines)
    return path
