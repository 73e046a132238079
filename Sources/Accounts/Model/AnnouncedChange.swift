/// A change to one of a user's documents, as a change stream reports it.
package struct AnnouncedChange: Sendable, Equatable {
    /// What is left of the change now.
    package enum Outcome: Sendable, Equatable {
        /// The document is as this change left it: its JSON text.
        case current(String)
        /// The document still exists, but a later change replaced what this change wrote or deleted.
        case superseded
        /// The document does not exist any more: this change or a later one deleted it.
        case deleted
    }

    /// The change number, counted for each user.
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

/// The position of a change stream in the changes to a user's documents.
package struct ChangePlace: Sendable, Hashable {
    package let uid: String
    /// The number of the newest change that the client knows of.
    package let number: Int64

    /// Makes a place from its parts.
    package init(uid: String, number: Int64) {
        self.uid = uid
        self.number = number
    }
}
