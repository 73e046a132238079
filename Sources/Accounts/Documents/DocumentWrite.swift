package import JSON

/// A write to one document.
package struct DocumentWrite: Sendable {
    /// The change to the document.
    package enum Change: Sendable {
        /// Replaces the content with this JSON text, made by ``DocumentLimits/content(_:)``, or creates the document.
        case set(String)
        /// Changes the document by a merge patch (RFC 7396), or creates it by patching an empty object.
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

/// The versions that a request depends on (RFC 9110, sections 13.1.1 and 13.1.2).
package struct DocumentPrecondition: Sendable, Equatable {
    /// A set of versions, or any version.
    package enum Versions: Sendable, Equatable {
        case any
        case of(Set<Int64>)

        /// Whether a document has one of these versions; a document that does not exist has none.
        package func contains(_ version: Int64?) -> Bool {
            guard let version else { return false }
            return switch self {
            case .any: true
            case .of(let versions): versions.contains(version)
            }
        }
    }

    /// The empty precondition, which always holds.
    package static let none = DocumentPrecondition()

    /// The versions of which the document must have one, so that it must exist (`If-Match`); `nil` requires nothing.
    package var match: Versions?
    /// The versions of which the document must have none (`If-None-Match`); `nil` requires nothing.
    ///
    /// A document that does not exist has none, so `any` requires that the document does not exist.
    package var noneMatch: Versions?

    /// Makes a precondition from its parts.
    package init(match: Versions? = nil, noneMatch: Versions? = nil) {
        self.match = match
        self.noneMatch = noneMatch
    }

    /// Whether a document that has this version now, `nil` if it does not exist, may be written.
    package func holds(for version: Int64?) -> Bool {
        (match?.contains(version) ?? true) && !(noneMatch?.contains(version) ?? false)
    }
}
