internal import Accounts
internal import Database
internal import Files
internal import FoundationEssentials
internal import Glibc

/// The result of `latchkey backup --keep`.
package struct BackupReport: Encodable, Sendable {
    package let file: String
    /// All backups in the folder, the newest first.
    package let kept: [String]
    /// The older backups that were deleted.
    package let removed: [String]
}

/// A folder with the backups of one installation.
///
/// A file in the folder names the database that the folder belongs to, and is locked while a backup is made.
struct BackupFolder: ~Copyable {
    /// The name of the file that says whose folder this is.
    static let markerName = "latchkey-backups.txt"

    private let path: String
    private let descriptor: Int32

    /// Opens the folder, makes it if it does not exist, and locks it.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - owner: lines that name the database, the same for each backup of it and different for every other database.
    /// - Throws: ``Operator/Failure/unusableFolder(_:reason:)``.
    init(_ path: String, owner: String) throws(Operator.Failure) {
        self.path = path
        try Self.check(path)
        let marker = "\(path)/\(Self.markerName)"
        let descriptor = unsafe open(marker, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusableFolder(path, reason: Self.reason) }
        // The server's user makes backups, too, even if root made the first one.
        var status = stat()
        if geteuid() == 0, unsafe stat(path, &status) == 0 { fchown(descriptor, status.st_uid, status.st_gid) }
        do throws(Operator.Failure) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw .unusableFolder(path, reason: "another backup is being made there")
            }
            try Self.claim(descriptor, path, owner)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The moment as part of a file's name, in UTC: `20261124T224729Z`.
    static func stamp(_ milliseconds: Int64) -> String {
        let text = Timestamp.rfc3339(milliseconds: milliseconds)
        return text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// Returns the path of a backup that is made now.
    borrowing func newFile(at milliseconds: Int64) -> String {
        var time = milliseconds
        // Two backups within a second.
        while FileManager.default.fileExists(atPath: "\(path)/\(Self.name(time))") { time += 1000 }
        return "\(path)/\(Self.name(time))"
    }

    /// Deletes what killed backups have left.
    ///
    /// The lock shows that none is running.
    borrowing func removeDrafts() {
        for name in names where name.hasPrefix("latchkey-") && name.contains(".db.partial-") {
            _ = unsafe unlink("\(path)/\(name)")
        }
    }

    /// Deletes the oldest backups.
    ///
    /// - Parameters:
    ///   - count: the number of backups to keep, at least one.
    ///   - newest: the backup that was just made, which stays even if the clock was set back and others have later names.
    /// - Returns: the kept and the deleted ones.
    borrowing func prune(
        keeping count: Int,
        newest: String
    ) throws(Operator.Failure) -> (kept: [String], removed: [String]) {
        let others = names.filter(Self.isBackup).map { "\(path)/\($0)" }.filter { $0 != newest }.sorted(by: >)
        let removed = Array(others.dropFirst(count - 1))
        for file in removed where unsafe unlink(file) != 0 {
            throw .unusableFolder(path, reason: "cannot delete \(file): \(Self.reason)")
        }
        return ([newest] + others.prefix(count - 1), removed)
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    private static func name(_ milliseconds: Int64) -> String { "latchkey-\(stamp(milliseconds)).db" }

    /// Whether a file has the name of a backup in such a folder.
    private static func isBackup(_ name: String) -> Bool {
        let digits = name.dropFirst("latchkey-".count).dropLast("Z.db".count)
        return name.hasPrefix("latchkey-") && name.hasSuffix("Z.db") && digits.utf8.count == 15
            && digits.enumerated().allSatisfy { $0 == 8 ? $1 == "T" : $1.isASCII && $1.isNumber }
    }

    private static func check(_ path: String) throws(Operator.Failure) {
        var status = stat()
        if unsafe lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw .unusableFolder(path, reason: reason) }
            do throws(FileError) { try Folder.make(path, parents: false) } catch {
                throw .unusableFolder(path, reason: "cannot create it: \(error.reason)")
            }
            guard unsafe lstat(path, &status) == 0 else { throw .unusableFolder(path, reason: reason) }
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: break
        case S_IFLNK: throw .unusableFolder(path, reason: "it is a symbolic link; name the folder itself")
        default: throw .unusableFolder(path, reason: "it is not a folder")
        }
        if status.st_mode & 0o002 != 0 {
            throw .unusableFolder(path, reason: "every user of this machine may write there; chmod o-w \(path)")
        }
    }

    /// Checks that the folder belongs to this installation, or claims a folder without an owner.
    private static func claim(_ descriptor: Int32, _ path: String, _ owner: String) throws(Operator.Failure) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw .unusableFolder(path, reason: reason) }
        let marker =
            "Delete this file to let another installation of Latchkey use this folder for its backups.\n\(owner)\n"
        if count == 0 {
            let bytes = Array(marker.utf8)
            guard unsafe write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
                let reason = reason
                // An empty file lets the next attempt start over.
                ftruncate(descriptor, 0)
                throw .unusableFolder(path, reason: reason)
            }
        } else if Array(buffer[..<count]) != Array(marker.utf8) {
            throw .unusableFolder(
                path,
                reason: "it has the backups of another installation, see \(markerName) there; use another folder"
            )
        }
    }

    private static var reason: String { unsafe String(cString: strerror(errno)) }
}

extension Operator {
    /// Copies the SQLite database to a new file in a folder, and deletes the oldest copies there once the new one is
    /// complete and on the disk.
    ///
    /// - Parameters:
    ///   - folder: the folder, which belongs to this database alone; a missing one is made.
    ///   - count: how many backups to keep, including the new one.
    /// - Throws: ``Failure/notSQLite``; ``Failure/unusableFolder(_:reason:)``; or the error of the copy. All older
    ///   backups are kept then.
    package func backUp(toFolder folder: String, keeping count: Int) throws -> BackupReport {
        guard case .sqlite(let database) = configuration.database else { throw Failure.notSQLite }
        let created = try store.database.readNow { transaction in
            try transaction.first("SELECT applied_at FROM schema_migrations ORDER BY number LIMIT 1") { row in
                try row.integer(0)
            }
        }
        let absolute = URL(filePath: database).standardized.resolvingSymlinksInPath().path
        let owner = "database: \(absolute)\ncreated: \(Timestamp.rfc3339(milliseconds: created ?? 0))"
        let backups = try BackupFolder(folder, owner: owner)
        backups.removeDrafts()
        let file = backups.newFile(at: SystemClock.now())
        try store.database.backup(to: file, replacing: false)
        let (kept, removed) = try backups.prune(keeping: count, newest: file)
        return BackupReport(file: file, kept: kept, removed: removed)
    }
}
