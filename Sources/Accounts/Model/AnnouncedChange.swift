/// A change to one of a user's documents, as a listener learns of it.
package struct AnnouncedChange: Sendable, Equatable {
    /// What became of the document.
    package enum Outcome: Sendable, Equatable {
        /// It is as this change left it: its JSON text.
        case current(String)
        /// A later change wrote it anew.
        case superseded
        /// It is gone.
        case deleted
    }

    package let number: Int64
    package let collection: String
    /// The document's id in its collection.
    package let name: String
    package let outcome: Outcome

    /// Makes a change from its parts.
    package init(number: Int64, collection: String, name: String, outcome: Outcome) {
        self.number = number
        self.collection = collection
        self.name = name
        self.outcome = outcome
    }
}

/// How far a listener has come.
package struct ChangePlace: Sendable, Hashable {
    package let uid: String
    /// The newest change that it knows of.
    package let number: Int64

    /// Makes a place from its parts.
    package init(uid: String, number: Int64) {
        self.uid = uid
        self.number = number
    }
}
