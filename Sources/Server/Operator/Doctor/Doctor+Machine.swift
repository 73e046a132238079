internal import FoundationEssentials
internal import Glibc

extension Doctor {
    /// Checks of the machine that need no configuration: its clock and its source of randomness.
    static func machineChecks() -> [DoctorFinding] {
        [clock(), entropy()]
    }

    /// Checks of what the machine gives the server: open files and disk space.
    func resourceChecks() -> [DoctorFinding] {
        [openFiles()] + disk()
    }

    /// A moment before which no clock can be right, because Latchkey is younger: 2025-01-01.
    private static let earliest: Int64 = 1_735_689_600_000

    private static func clock() -> DoctorFinding {
        guard SystemClock.now() > earliest else {
            return .problem(
                "clock",
                "The clock of this machine is wrong by months or years.",
                "Install a time service, for example systemd-timesyncd, and wait until it has set the clock."
            )
        }
        let files = FileManager.default
        let services = ["/run/systemd/timesync", "/run/chrony", "/var/run/ntpd.pid", "/run/openntpd.sock"]
        guard services.contains(where: files.fileExists(atPath:)) else {
            return .warning(
                "clock",
                "No time service was found, so nobody keeps the clock right. Links and tokens expire by the clock.",
                "Install one, for example systemd-timesyncd or chrony. In a container the host's time service is enough."
            )
        }
        let timesync = "/run/systemd/timesync"
        if files.fileExists(atPath: timesync), !files.fileExists(atPath: timesync + "/synchronized"),
            !files.fileExists(atPath: "/run/chrony")
        {
            return .warning(
                "clock",
                "systemd-timesyncd has not set the clock since the machine started.",
                "Look at 'timedatectl timesync-status': the time servers may be out of reach."
            )
        }
        return .ok("clock", "A time service keeps the clock.")
    }

    private static func entropy() -> DoctorFinding {
        var byte: UInt8 = 0
        // Does not wait: it fails while the system has gathered too little randomness since its start.
        guard unsafe getentropy(&byte, 1) == 0 else {
            return .problem(
                "entropy",
                "The system has no randomness yet, so keys and links cannot be made.",
                "Give a virtual machine a virtio-rng device, or wait until the system has gathered some."
            )
        }
        return .ok("entropy", "The system has randomness.")
    }

    /// Compares this process's limit of open files with what the settings need.
    private func openFiles() -> DoctorFinding {
        let needed = configuration.connections + 256
        let text = (try? String(contentsOfFile: "/proc/self/limits", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        // "Max open files            1024                 524288               files": the server raises the first.
        let words = line?.split(separator: " ") ?? []
        guard words.count >= 5, words[4] != "unlimited", let limit = Int(words[4]) else {
            return .ok("files.limit", "The number of open files is not limited.")
        }
        guard limit >= needed else {
            return .warning(
                "files.limit",
                "This shell allows \(limit) open files, but \(configuration.connections) connections need \(needed).",
                "The systemd unit sets its own limit (LimitNOFILE). If you start the server otherwise, raise 'ulimit -n'."
            )
        }
        return .ok(
            "files.limit",
            "\(limit) open files are allowed, and \(configuration.connections) connections need \(needed)."
        )
    }

    private func disk() -> [DoctorFinding] {
        guard case .sqlite(let path) = configuration.database else { return [] }
        let files = FileManager.default
        var folder = URL(filePath: path).deletingLastPathComponent().path
        while !folder.isEmpty, folder != "/", !files.fileExists(atPath: folder) {
            folder = URL(filePath: folder).deletingLastPathComponent().path
        }
        var status = statvfs()
        guard unsafe statvfs(folder.isEmpty ? "." : folder, &status) == 0 else { return [] }
        let (bytes, _) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        let free = Int(clamping: bytes)
        let megabytes = free >> 20
        let size = ((try? files.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
        var findings: [DoctorFinding] = []
        if free < configuration.storageLowMark {
            findings.append(
                .problem(
                    "disk",
                    "\(megabytes) MiB are free for the database, less than storage.lowMark, so documents are refused.",
                    "Free some space, or move the database to a larger disk."
                )
            )
        } else if free < size {
            findings.append(
                .warning(
                    "disk",
                    "\(megabytes) MiB are free, less than the database takes (\(size >> 20) MiB), so its log or a backup may not fit.",
                    "Free some space, and keep backups on another disk."
                )
            )
        }
        if status.f_files > 0, status.f_favail < 1000 {
            findings.append(
                .problem(
                    "disk.files",
                    "The file system has room for \(status.f_favail) more files.",
                    "Delete files that are not needed."
                )
            )
        }
        return findings.isEmpty ? [.ok("disk", "\(megabytes) MiB are free for the database.")] : findings
    }
}
