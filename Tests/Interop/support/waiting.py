"""Waiting for what comes true in its own time."""
import time


def wait_until(is_true, timeout: float, what: str, process=None):
    """Waits until a call answers something true, and returns that; fails early if a process has ended."""
    deadline = time.monotonic() + timeout
    while not (value := is_true()):
        assert process is None or process.poll() is None, f"ended while waiting for {what}"
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)
    return value
