internal import FoundationEssentials
internal import Glibc

extension Doctor {
    /// Checks who may read and write the server's files.
    func fileChecks() -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if geteuid() == 0 {
            findings.append(
                .warning(
                    "files.user",
                    "This command runs as root, who may do everything, so it cannot tell what the server's user may.",
                    "Run it as the server's user: sudo -u latchkey latchkey doctor …"
                )
            )
        }
        if let file = configurationFile, let access = FileAccess(file), access.mayBeWrittenByOthers {
            findings.append(
                .problem(
                    "files.configuration",
                    "\(file) may be changed by other users (mode \(access.mode)).",
                    "chmod go-w \(file)"
                )
            )
        }
        if case .sqlite(let path) = configuration.database { findings += databaseFile(path) }
        if let tls = configuration.tls, let access = FileAccess(tls.key), access.isWorldReadable {
            findings.append(
                .problem(
                    "files.key",
                    "\(tls.key) may be read by every user (mode \(access.mode)).",
                    "chmod o-r \(tls.key)"
                )
            )
        }
        let hasNone = findings.allSatisfy { $0.status != .problem }
        return hasNone ? findings + [.ok("files", "The files have the right permissions.")] : findings
    }

    private func databaseFile(_ path: String) -> [DoctorFinding] {
        let parent = URL(filePath: path).deletingLastPathComponent().path
        let folder = parent.isEmpty ? "." : parent
        guard FileManager.default.fileExists(atPath: path) else {
            return [
                .warning(
                    "files.database",
                    "There is no database at \(path) yet. The server creates it at its first start.",
                    "If there should be one, correct 'database'."
                )
            ]
        }
        var findings: [DoctorFinding] = []
        if unsafe access(path, R_OK | W_OK) != 0 || access(folder, W_OK | X_OK) != 0 {
            findings.append(
                .problem(
                    "files.database",
                    "This user may not write \(path) and its folder, which the server needs for its log.",
                    "Give both to the server's user: chown -R latchkey: \(folder)"
                )
            )
        }
        if let access = FileAccess(path), access.isWorldReadable || access.mayBeWrittenByOthers {
            findings.append(
                .problem(
                    "files.database",
                    "\(path) may be read or changed by other users (mode \(access.mode)).",
                    "chmod 0600 \(path)"
                )
            )
        }
        return findings
    }
}
