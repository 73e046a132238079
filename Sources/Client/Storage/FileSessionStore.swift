#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Stores sessions in a file that only its owner can read, one session for each server.
///
/// The file (mode 0600) is replaced as a whole by renaming, so a reader sees either the old state or the new one, even
/// after a crash. Processes that share it take turns with a lock on the file `<path>.lock` next to it. A session is
/// only returned for the server that issued it.
public struct FileSessionStore: SessionStore {
    /// The session file.
    public let path: String
    /// The server whose state this store reads and writes, as ``Auth/Configuration/server`` spells it.
    public let server: String
    /// How long ``exclusively(_:)`` waits for other processes that use the same file.
    package var lockTimeout: Duration = .seconds(90)

    /// Creates a store without accessing the file.
    ///
    /// - Parameters:
    ///   - path: the path of the file. A missing folder is created with mode 0700.
    ///   - server: the server, ``Auth/Configuration/server``.
    public init(path: String, server: String) {
        self.path = path
        self.server = server
    }

    /// Reads the state of this server; an empty state if there is none.
    ///
    /// - Throws: when the file exists but cannot be read.
    public func load() throws -> PersistedState {
        try contents().servers[server] ?? PersistedState()
    }

    /// Returns the servers of which the file holds a session or a sign-in, in the order of their names.
    ///
    /// - Throws: when the file exists but cannot be read.
    package func servers() throws -> [String] {
        try contents().servers.keys.sorted()
    }

    /// Writes the state of this server, and keeps those of other servers.
    public func save(_ state: PersistedState) throws {
        var contents = try contents()
        contents.servers[server] = state.isEmpty ? nil : state
        guard !contents.servers.isEmpty else {
            try PrivateFile.remove(path)
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try PrivateFile.write([UInt8](try encoder.encode(contents)) + [UInt8(ascii: "\n")], to: path)
    }

    /// Runs `body` while no other store for the same file is in `exclusively`, in this process or another.
    ///
    /// - Throws: when the lock is not free within 90 seconds, or the lock file or its folder cannot be created or
    ///   opened.
    @discardableResult
    public func exclusively<T: Sendable>(_ body: @Sendable () async -> T) async throws -> T {
        try PrivateFile.makeFolder(of: path)
        let lock = try await FileLock.acquire(path + ".lock", within: lockTimeout)
        let result = await body()
        lock.release()
        return result
    }

    private func contents() throws -> Contents {
        guard let bytes = try PrivateFile.read(path) else { return Contents() }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let contents = try? decoder.decode(Contents.self, from: Data(bytes)), contents.version == 1 else {
            throw StorageFailure(path, "damaged, or written by a newer version; move it away to start afresh")
        }
        return contents
    }

    private struct Contents: Codable {
        var version = 1
        var servers: [String: PersistedState] = [:]
    }
}

/// A file could not be used.
struct StorageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ reason: String) {
        description = "\(path): \(reason)"
    }
}
