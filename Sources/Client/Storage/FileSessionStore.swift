#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Keeps sessions in a file that only its owner can read, one for each server.
///
/// The file (mode 0600) is replaced as a whole by renaming, so a reader sees the old state or the new one, also after a
/// crash. Processes that share it take turns by a lock on the file `<path>.lock` beside it. A session is only ever
/// handed out for the server that gave it.
public struct FileSessionStore: SessionStore {
    /// The session file.
    public let path: String
    /// The server whose session this is, as ``Auth/Configuration/server`` spells it.
    public let server: String
    /// How long to wait for other processes that use the same file.
    package var lockTimeout: Duration = .seconds(90)

    /// Makes a store; touches nothing yet.
    ///
    /// - Parameters:
    ///   - path: Where the file is or shall be; its folder is made with mode 0700 when missing.
    ///   - server: The server, ``Auth/Configuration/server``.
    public init(path: String, server: String) {
        self.path = path
        self.server = server
    }

    /// Reads the state of this server.
    public func load() throws -> PersistedState {
        try contents().servers[server] ?? PersistedState()
    }

    /// Writes the state of this server and leaves those of others alone.
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

    /// Runs `body` under the lock of this file.
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
