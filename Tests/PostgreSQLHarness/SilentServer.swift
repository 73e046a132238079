internal import Foundation
internal import Glibc

/// A server that stops responding and resumes: its processes are stopped, which clients cannot detect.
package struct SilentServer {
    private let processes: [pid_t]

    /// Stops the processes of the cluster in a folder.
    package init(_ folder: String) throws {
        let lock = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        let server = pid_t(lock.split(separator: "\n").first ?? "") ?? 0
        guard server > 1 else { throw PostgreSQLServer.Failed(description: "no server in \(folder)") }
        // The server first, so that it starts no more processes.
        kill(server, SIGSTOP)
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
        let children = all.filter { process in
            let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // After the name in parentheses: state, parent.
            return state?.split(separator: ")").last?.split(separator: " ").dropFirst().first == "\(server)"
        }
        for child in children { kill(child, SIGSTOP) }
        processes = [server] + children
    }

    /// Resumes the processes.
    package func speakAgain() {
        for process in processes { kill(process, SIGCONT) }
    }
}
