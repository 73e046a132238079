internal import FoundationEssentials
internal import Glibc
internal import Telemetry

/// The metrics of the process that every Prometheus client library has, read from `/proc`.
enum ProcessMetrics {
    /// Writes the metrics; leaves out what the system does not tell.
    ///
    /// - Parameter startedAt: when the process started, in seconds since 1970.
    static func write(startedAt: Int64, to text: inout Exposition) {
        text.gauge("process_start_time_seconds", "When the process started, since 1970.", Double(startedAt))
        if let fields = statusFields(), fields.count > 21 {
            let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
            let page = Double(sysconf(Int32(_SC_PAGESIZE)))
            // The fields after the name in proc(5), /proc/[pid]/stat: utime is the 12th of them.
            text.counter(
                "process_cpu_seconds",
                "Processor time in user and system mode.",
                [
                    (labels: [], value: (number(fields[11]) + number(fields[12])) / ticks)
                ]
            )
            text.gauge("process_threads", "Threads of the process.", number(fields[17]))
            text.gauge("process_virtual_memory_bytes", "Virtual memory.", number(fields[20]))
            text.gauge("process_resident_memory_bytes", "Resident memory.", number(fields[21]) * page)
        }
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            text.gauge("process_open_fds", "Open file descriptors.", Double(open))
        }
        var limit = rlimit()
        if unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 {
            text.gauge("process_max_fds", "The maximum number of open file descriptors.", Double(limit.rlim_cur))
        }
    }

    /// The fields of `/proc/self/stat` after the program's name, which may contain spaces and parentheses.
    private static func statusFields() -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/stat"),
            let text = String(bytes: data, encoding: .utf8), let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }

    private static func number(_ field: Substring) -> Double { Double(field) ?? 0 }
}
