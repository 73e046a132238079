internal import Glibc

/// Standard error, written in whole lines.
enum StandardError {
    /// Writes the bytes.
    ///
    /// On an error the rest is lost, because there is no other place to report it.
    static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
            }
            guard written > 0 else {
                if written < 0, errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// The machine's clock.
enum SystemClock {
    /// Milliseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
