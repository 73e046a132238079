/// What came of asking that a mail, or a message to a hook, be tried again at once.
package enum RetryAnswer: Sendable, Equatable {
    case due
    /// A worker has it: twice would be too often.
    case inHand
    case noneWaits
}
