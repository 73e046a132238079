/// What an administrator may do.
package enum AdministratorRole: Sendable, Equatable {
    /// Everything that administrators may do.
    case full
    /// Look at users and settings, but change nothing, export nothing, and see no content of documents.
    case readOnly
}

/// The list of administrators.
package struct AdministratorList: Sendable, Equatable {
    /// Marks a read-only administrator in the stored text.
    ///
    /// No UID contains a tab. A server of an earlier version takes the marked UID for one that no user has.
    private static let mark: Character = "\t"

    private var roles: [(uid: String, role: AdministratorRole)]

    /// Reads the list from the text that the database stores: UIDs with a space between them.
    package init(stored text: String?) {
        roles = (text ?? "").split(separator: " ").map { entry in
            let isReadOnly = entry.first == Self.mark
            return (
                uid: String(isReadOnly ? entry.dropFirst() : entry),
                role: isReadOnly ? AdministratorRole.readOnly : .full
            )
        }
    }

    /// The text that the database stores.
    package var stored: String {
        roles.map { $0.role == .readOnly ? "\(Self.mark)\($0.uid)" : $0.uid }.joined(separator: " ")
    }

    /// The UIDs of all administrators, in the order in which they were added.
    package var uids: [String] { roles.map(\.uid) }

    /// The role of a user; `nil` for a user who is no administrator.
    package subscript(_ uid: String) -> AdministratorRole? {
        get { roles.first { $0.uid == uid }?.role }
        set {
            guard newValue != self[uid] else { return }
            roles.removeAll { $0.uid == uid }
            if let newValue { roles.append((uid, newValue)) }
        }
    }

    /// Whether a text can be the UID of an administrator: the stored list could not hold a space or a tab.
    package static func admits(_ uid: String) -> Bool { !uid.contains(" ") && !uid.contains(mark) }

    package static func == (one: AdministratorList, other: AdministratorList) -> Bool { one.stored == other.stored }
}
