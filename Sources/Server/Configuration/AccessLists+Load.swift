internal import Accounts
internal import FoundationEssentials
package import Network

/// The networks that the operator blocks, and those that no limit of networks applies to.
package struct NetworkLists: Sendable, Equatable {
    package var blocked = NetworkList()
    package var allowed = NetworkList()

    /// Makes empty lists.
    package init() {}
}

extension AddressLists {
    /// Reads the files of `lists.blockedAddresses` and `lists.allowedDomains`.
    init(_ settings: inout Settings) {
        self.init()
        settings.list("lists.blockedAddresses", of: "an address, a domain or *.domain") { self.block($0) }
        var domains = Domains()
        if settings.list("lists.allowedDomains", of: "a domain or *.domain", { domains.add($0) }) {
            allowedDomains = domains
        }
    }
}

extension NetworkLists {
    /// Reads the files of `lists.blockedNetworks` and `lists.allowedNetworks`.
    init(_ settings: inout Settings) {
        self.init()
        var blocked: [AddressRange] = [], allowed: [AddressRange] = []
        func add(_ entry: String, to ranges: inout [AddressRange]) -> Bool {
            guard let range = AddressRange(entry) else { return false }
            ranges.append(range)
            return true
        }
        let form = "an address or a network such as 192.0.2.0/24"
        settings.list("lists.blockedNetworks", of: form) { add($0, to: &blocked) }
        settings.list("lists.allowedNetworks", of: form) { add($0, to: &allowed) }
        self.blocked = NetworkList(blocked)
        self.allowed = NetworkList(allowed)
    }
}

extension Settings {
    /// The maximum size of a list, in bytes.
    private static let longestList = 64 << 20

    /// Reads a list from the file that a key names: one entry a line; empty lines, and what follows a `#`, do not count.
    ///
    /// Records a problem, with the line, for the first entry that is not accepted.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - form: what an entry must be.
    ///   - add: accepts an entry; false if it is malformed.
    /// - Returns: whether the key is given and its file was read.
    @discardableResult
    mutating func list(_ key: String, of form: String, _ add: (String) -> Bool) -> Bool {
        guard let path = string(key) else { return false }
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= Self.longestList else {
            refuse(key, "\(path) cannot be read, or is longer than 64 MiB; check the path and its permissions")
            return false
        }
        guard let text = String(data: data, encoding: .utf8) else {
            refuse(key, "\(path) is not UTF-8")
            return false
        }
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let entry = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if entry.isEmpty { continue }
            guard entry.count == 1, add(String(entry[0])) else {
                refuse(key, "\(path), line \(number + 1): write \(form)")
                return false
            }
        }
        return true
    }
}
