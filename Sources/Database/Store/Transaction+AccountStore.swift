internal import Accounts

/// The domain's tables, each in a file of its own beside this one.
extension Transaction: AccountStore {}

extension Row {
    /// A column that holds one of an enumeration's words.
    ///
    /// - Throws: ``DatabaseError`` of kind `corrupt` where it holds another.
    borrowing func value<Value: RawRepresentable<String>>(_ index: Int) throws -> Value {
        let text = try text(index)
        guard let value = Value(rawValue: text) else {
            throw DatabaseError(.corrupt, message: "column \(index) holds none of the words of \(Value.self)")
        }
        return value
    }
}
