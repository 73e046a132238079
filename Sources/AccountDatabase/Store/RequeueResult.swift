/// The result of a request to retry an e-mail or a hook message at once.
package enum RequeueResult: Sendable, Equatable {
    /// The e-mail or message is due now, and a worker will send it soon.
    case due
    /// Nothing was changed, because a worker has leased the e-mail or message and may be sending it.
    case leased
    /// There is no e-mail or message with this ID that can be retried.
    case notFound
}
