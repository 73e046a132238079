internal import Glibc

/// The service manager that started this process, systemd, which is told what the process does (sd_notify(3)).
package struct ServiceManager: Sendable {
    /// The path of the manager's socket; `@` stands for the leading NUL of an abstract address.
    private let path: String
    /// How often the manager expects a ping; `nil` if it expects none.
    package let watchdogInterval: Duration?

    /// Reads the manager's variables; `nil` if no manager waits for notifications.
    ///
    /// - Parameter environment: all environment variables: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`.
    package init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count > 1
        else { return nil }
        self.path = path
        // The variables are for one process. Its children inherit them.
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) }
        watchdogInterval = microseconds.flatMap { isMeant && $0 > 0 ? .microseconds($0) : nil }
    }

    /// Reports that the server accepts requests, after the start or after a reload.
    package func ready(_ status: String) {
        notify("READY=1\nSTATUS=\(status)")
    }

    /// Reports that a reload has begun.
    ///
    /// ``ready(_:)`` ends it.
    package func reloading() {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let microseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        notify("RELOADING=1\nMONOTONIC_USEC=\(microseconds)\nSTATUS=Reloading")
    }

    /// Reports that the server is about to stop.
    package func stopping() {
        notify("STOPPING=1\nSTATUS=Stopping")
    }

    /// Tells the manager that the process works.
    func ping() {
        notify("WATCHDOG=1")
    }

    /// Sends one datagram.
    ///
    /// A failure is ignored, because the manager itself notices a missing notification.
    private func notify(_ text: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < capacity else { return }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(text.utf8)
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
