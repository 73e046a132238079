"""Child processes that are always ended, by their id, and the small facts about them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
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
    """Resident memory of a process in MiB that no file backs (RssAnon): its heap and its stacks."""
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    return 0.0


def descriptors(process: subprocess.Popen) -> int:
    """The number of files and sockets that a process has open."""
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def processor_time(process: subprocess.Popen) -> float:
    """Seconds of processor time that a process has used so far, in user and kernel mode."""
    with open(f"/proc/{process.pid}/stat") as stat:
        # The name in parentheses may hold spaces: utime and stime are the 12th and 13th fields behind it.
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def family_time(pid: int) -> float:
    """Seconds of processor time of a process and all its children, of those that have ended as well."""
    ticks = 0
    try:
        with open(f"/proc/{pid}/stat") as stat:
            ticks = sum(map(int, stat.read().rpartition(")")[2].split()[11:15]))
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            living = children.read().split()
    except OSError:
        return 0
    return ticks / os.sysconf("SC_CLK_TCK") + sum(family_time(int(child)) for child in living)


def machine_time() -> float:
    """Seconds in which the processors were not idle, all together."""
    with open("/proc/stat") as stat:
        user, nice, system, _, _, interrupts, soft, *_ = map(int, stat.readline().split()[1:])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


class ProcessorTime:
    """What groups of processes use within the block, in seconds of processor time, and what the rest of the machine does."""

    def __init__(self, groups: dict[str, list[int]]):
        self.groups = groups
        self.used: dict[str, float] = {}

    def now(self) -> dict[str, float]:
        found = {name: sum(map(family_time, pids)) for name, pids in self.groups.items()}
        return found | {"rest": machine_time() - sum(found.values())}

    def __enter__(self):
        self.begun = self.now()
        return self

    def __exit__(self, *_):
        self.used = {name: value - self.begun[name] for name, value in self.now().items()}

    def each(self, requests: int) -> dict[str, float]:
        """The same for each request, in µs."""
        return {name: seconds / max(1, requests) * 1e6 for name, seconds in self.used.items()}


@contextlib.contextmanager
def progress():
    """A function that shows what goes on in the last line of a terminal; elsewhere it shows nothing."""
    begun = time.monotonic()
    is_shown = sys.stderr.isatty()

    def say(text: str) -> None:
        if is_shown:
            print(f"\r\033[K{time.monotonic() - begun:5.0f} s  {text}", end="", file=sys.stderr, flush=True)

    try:
        yield say
    finally:
        if is_shown:
            print("\r\033[K", end="", file=sys.stderr)


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
