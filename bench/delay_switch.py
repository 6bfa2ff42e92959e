#!/usr/bin/env python3
"""A switch in user space: joins network namespaces by TAP devices, with a delay and a bandwidth.

    delay_switch.py MICROSECONDS MBIT NAMESPACE...

makes a device tap0 in each of the namespaces and passes frames on until it is ended. For kernels
that have no netem; bench/hosts.sh starts and stops it.
"""

import ctypes
import fcntl
import heapq
import os
import select
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0002, 0x1000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def enter(path: str) -> None:
    with open(path, "rb") as namespace:
        if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {path}")


def open_tap(namespace: str) -> int:
    enter(f"/run/netns/{namespace}")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH", b"tap0", IFF_TAP | IFF_NO_PI))
    return tap


def main() -> None:
    delay, bytes_per_second = float(sys.argv[1]) * 1e-6, float(sys.argv[2]) * 1e6 / 8
    home = f"/proc/{os.getpid()}/ns/net"
    with open(home, "rb") as before:
        taps = [open_tap(name) for name in sys.argv[3:]]
        libc.setns(before.fileno(), CLONE_NEWNET)
    port_of: dict[bytes, int] = {}  # by address
    free = dict.fromkeys(taps, 0.0)  # when a port has sent what it has
    waiting: list[tuple[float, int, int, bytes]] = []  # due, order, port, frame
    order = 0
    print("ready", flush=True)
    while True:
        wait = max(0.0, waiting[0][0] - time.perf_counter()) if waiting else None
        for tap in select.select(taps, [], [], wait)[0]:
            try:
                frame = os.read(tap, 65536)
            except BlockingIOError:
                continue
            now = time.perf_counter()
            port_of[frame[6:12]] = tap
            known = port_of.get(frame[:6])
            for port in [known] if known is not None else [t for t in taps if t != tap]:
                free[port] = max(now, free[port]) + len(frame) / bytes_per_second
                order += 1
                heapq.heappush(waiting, (free[port] + delay, order, port, frame))
        while waiting and waiting[0][0] <= time.perf_counter():
            _, _, port, frame = heapq.heappop(waiting)
            try:
                os.write(port, frame)
            except OSError:
                pass  # the device is down: the frame is lost, as on a wire


if __name__ == "__main__":
    main()
