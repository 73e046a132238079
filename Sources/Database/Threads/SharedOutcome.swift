/// What a transaction that several calls share did for one of them.
package enum SharedOutcome<Value: Sendable>: Sendable {
    /// The call has its result.
    ///
    /// A failure says that the transaction wrote nothing for the call.
    case answered(Result<Value, any Error>)
    /// Nothing was written or decided for the call, which runs alone next, in a transaction that may wait for others.
    case postponed

    var isPostponed: Bool {
        if case .postponed = self { true } else { false }
    }

    /// The result of an answered call.
    var result: Result<Value, any Error> {
        switch self {
        case .answered(let result): result
        case .postponed: .failure(DatabaseError(.misuse, message: "a call that runs alone was postponed"))
        }
    }
}
