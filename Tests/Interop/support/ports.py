"""Free ports on loopback, which no other test and no outgoing connection takes before a server listens there."""
import random
import socket

# Linux gives ports from 32768 on to outgoing connections and to servers that ask for any port
# (net.ipv4.ip_local_port_range). A port from there may be taken between the look and its use.
_PORTS = range(20_000, 32_000)

# One abstract socket for each port that was given out. Its name keeps other test processes from the same port, and
# the kernel forgets it when this process ends.
_reservations: list[socket.socket] = []


def free_port() -> int:
    return free_ports(1)


def free_ports(count: int) -> int:
    """The first of `count` free ports in a row."""
    while True:
        first = random.randrange(_PORTS.start, _PORTS.stop - count)
        if all(_reserve(port) for port in range(first, first + count)):
            return first


def _reserve(port: int) -> bool:
    reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        reservation.bind(f"\0latchkey-test-port-{port}")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        reservation.close()
        return False
    _reservations.append(reservation)
    return True
