"""Child processes that are always ended, by their id, and the small facts about them."""

import contextlib
import os
import signal
import socket
import subprocess
import time


def free_port() -> int:
    """Returns a loopback port that no program listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command: list[str], port: int, patience: float = 15, **options):
    """Runs a server until the end of the block, from the moment its port answers."""
    process = subprocess.Popen(command, **options)
    try:
        wait_for_port(port, process, patience)
        yield process
    finally:
        stop(process)


def wait_for_port(port: int, process: subprocess.Popen, patience: float) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with status {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} does not answer on port {port}")


def stop(process: subprocess.Popen, patience: float = 20) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def memory(process: subprocess.Popen) -> tuple[float, float]:
    """Resident memory of a process now and at its highest, in MiB."""
    values = {}
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            name, _, value = line.partition(":")
            if name in ("VmRSS", "VmHWM"):
                values[name] = int(value.split()[0]) / 1024
    return values.get("VmRSS", 0.0), values.get("VmHWM", 0.0)


def anonymous_memory(process: subprocess.Popen) -> float:
    """Resident memory of a process that no file backs, in MiB."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:")) / 1024


def processor_time(process: subprocess.Popen) -> float:
    """Seconds of processor time that a process has used so far, in user and kernel mode."""
    with open(f"/proc/{process.pid}/stat") as stat:
        # The name in parentheses may hold spaces: utime and stime are the 12th and 13th fields behind it.
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def raise_file_limit() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536) if hard > 0 else 65536, hard))


def syncs_per_second(folder: str, seconds: float = 0.5) -> float:
    """How often this disk can make 4 KiB durable in a second: the bound of every durable commit."""
    path = os.path.join(folder, "sync-probe")
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.pwrite(file, bytes(4096 * 256), 0)
        os.fsync(file)
        begun, count = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            os.pwrite(file, os.urandom(4096), count % 256 * 4096)
            os.fdatasync(file)
            count += 1
        return count / (time.monotonic() - begun)
    finally:
        os.close(file)
        os.unlink(path)
