#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Auth.Configuration {
    /// The time zone of this device by its name in IANA's database; `nil` if it is unknown.
    ///
    /// On Linux, `TimeZone` of FoundationEssentials knows UTC alone.
    public static var deviceTimeZone: String? {
        #if canImport(Darwin)
            TimeZone.current.identifier
        #else
            timeZone(variable: ProcessInfo.processInfo.environment["TZ"])
        #endif
    }

    /// The name of the zone that the variable `TZ` names, or that a symbolic link such as `/etc/localtime` leads to.
    package static func timeZone(variable: String?, link: String = "/etc/localtime") -> String? {
        if let variable, !variable.isEmpty {
            // Also ":Europe/Rome". A rule such as "CET-1CEST" is not a name.
            return name(variable.hasPrefix(":") ? variable.dropFirst() : variable[...])
        }
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)).flatMap { name($0[...]) }
    }

    private static func name(_ text: Substring) -> String? {
        let folder = "zoneinfo/"
        let start = text.firstRange(of: folder)?.upperBound ?? text.startIndex
        let name = text[start...]
        let isName = name.first?.isLetter == true && name.utf8.count <= 64
        return isName && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/_+-".contains($0)) }
            ? String(name) : nil
    }
}
