"""Waiting for what comes true in its own time."""
import time


def wait_until(is_true, timeout: float, what: str, process=None):
    """Until something is true; not for a process that has ended."""
    deadline = time.monotonic() + timeout
    while not is_true():
        assert process is None or process.poll() is None, f"ended while waiting for {what}"
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)
