internal import FoundationEssentials
internal import Synchronization

/// The time zones of the system, by their names in IANA's database.
///
/// Foundation has them only with its copy of ICU, so the files of Debian's package `tzdata` are read here. Without that
/// package no zone is known, and all times are written in UTC.
package final class TimeZones: Sendable {
    /// The zones of this machine.
    package static let system = TimeZones(folder: "/usr/share/zoneinfo")

    private let folder: String
    /// The zones that were used.
    ///
    /// There are no more than files in the folder.
    private let used = Mutex<[String: TimeZoneFile]>([:])

    /// Uses the zones of a folder, which are read when they are first used.
    package init(folder: String) {
        self.folder = folder
    }

    /// The name if it is that of a zone; otherwise `nil`.
    package func known(_ name: String) -> String? { self[name] == nil ? nil : name }

    /// The zone with a name from a request; `nil` if there is none.
    subscript(name: String) -> TimeZoneFile? {
        guard Self.isWellFormed(name) else { return nil }
        if let zone = used.withLock({ $0[name] }) { return zone }
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
            let zone = TimeZoneFile(Array(data))
        else { return nil }
        used.withLock { $0[name] = zone }
        return zone
    }

    /// Whether a text has the form of a name, such as "America/Argentina/Buenos_Aires".
    ///
    /// No such name leads out of the folder. The form excludes `localtime`, the zone of the server, and the folders
    /// `posix` and `right`, which repeat all zones.
    private static func isWellFormed(_ name: String) -> Bool {
        guard name.utf8.count <= 64, name.utf8.first.map(isUpper) == true else { return false }
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count <= 3 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isInName) }
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

    private static func isInName(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }
}
