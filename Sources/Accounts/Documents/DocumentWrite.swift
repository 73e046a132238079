package import JSON

/// One document to be written.
package struct DocumentWrite: Sendable {
    /// What becomes of it.
    package enum Change: Sendable {
        /// It holds this text, made by ``DocumentLimits/content(_:)``, and nothing else.
        case set(String)
        /// It is changed, or made, by a merge patch (RFC 7396).
        case patch(JSONObject)
        case delete
    }

    package let name: DocumentName
    package let change: Change
    package let precondition: DocumentPrecondition

    /// Makes a write from its parts.
    package init(_ name: DocumentName, _ change: Change, if precondition: DocumentPrecondition = .none) {
        self.name = name
        self.change = change
        self.precondition = precondition
    }
}

/// On which versions a request depends (RFC 9110, sections 13.1.1 and 13.1.2).
package struct DocumentPrecondition: Sendable, Equatable {
    /// Some versions, or any at all.
    package enum Versions: Sendable, Equatable {
        case any
        case of(Set<Int64>)

        /// Whether a document is of one of them; one that does not exist is of none.
        package func contains(_ version: Int64?) -> Bool {
            guard let version else { return false }
            return switch self {
            case .any: true
            case .of(let versions): versions.contains(version)
            }
        }
    }

    /// Depends on nothing.
    package static let none = DocumentPrecondition()

    /// The document must be of one of these.
    package var match: Versions?
    /// The document must be of none of these.
    package var noneMatch: Versions?

    /// Makes a precondition from its parts.
    package init(match: Versions? = nil, noneMatch: Versions? = nil) {
        self.match = match
        self.noneMatch = noneMatch
    }

    /// Whether a document of that version, `nil` for none, may be written.
    package func holds(for version: Int64?) -> Bool {
        (match?.contains(version) ?? true) && !(noneMatch?.contains(version) ?? false)
    }
}
