package import Accounts
package import Database

/// The implementation of the store that the account rules use, in SQL for both engines. Each table has its own file
/// next to this one.
extension Transaction: AccountStore {
    package func requireSerializable(for reason: SerializableReason) throws {
        try requireSerializable(named: reason.rawValue)
    }

    package func isBefore(revocation second: Int64) -> Bool { isBefore(second: second, named: Self.laterRevocation) }

    package func requireTime(ofRevocation second: Int64) throws {
        try requireTime(ofSecond: second, named: Self.laterRevocation)
    }
}

extension Row {
    /// Reads a column that holds a raw value of an enumeration.
    ///
    /// - Throws: ``DatabaseError`` of kind `corrupt` for a text that is no raw value of `Value`, or what ``text(_:)``
    ///   throws.
    borrowing func value<Value: RawRepresentable<String>>(_ index: Int) throws -> Value {
        let text = try text(index)
        guard let value = Value(rawValue: text) else {
            throw DatabaseError(.corrupt, message: "column \(index) holds none of the words of \(Value.self)")
        }
        return value
    }
}
