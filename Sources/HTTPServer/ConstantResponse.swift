internal import Synchronization

/// A response that libmicrohttpd keeps, created at its first use.
///
/// The response has two forms: plain, and with the fields that CORS adds for a request without Origin.
final class ConstantResponse: Sendable {
    private struct Forms: ~Copyable {
        var plain: ResponseHandle?
        var varying: ResponseHandle?
    }

    private let forms = Mutex(Forms(plain: nil, varying: nil))

    /// Queues one of the two forms on a connection, and creates that form if it does not exist yet.
    ///
    /// - Parameters:
    ///   - response: the response to create the form from.
    ///   - defaults: fields of every response; the same in every call.
    ///   - varying: whether to queue the form for CORS rather than the plain one.
    ///   - handle: the connection.
    /// - Returns: nil if the response cannot be created, otherwise whether libmicrohttpd accepted it.
    func queue(
        _ response: Response,
        defaults: [(name: String, value: String)],
        varying: Bool,
        on handle: ConnectionHandle
    ) -> Bool? {
        forms.withLock { forms -> Bool? in
            if varying {
                if forms.varying == nil {
                    forms.varying = try? ResponseHandle(response, extra: defaults + [CrossOrigin.vary])
                }
                return ConstantResponse.queue(forms.varying, response.status, handle)
            }
            if forms.plain == nil { forms.plain = try? ResponseHandle(response, extra: defaults) }
            return ConstantResponse.queue(forms.plain, response.status, handle)
        }
    }

    private static func queue(
        _ form: borrowing ResponseHandle?,
        _ status: Int,
        _ handle: ConnectionHandle
    ) -> Bool? {
        switch form {
        case .some(let form): handle.queue(form, status: status)
        case .none: nil
        }
    }
}
