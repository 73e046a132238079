internal import Synchronization

/// A response that libmicrohttpd keeps, made at its first use.
///
/// Two forms: alone, and with the fields that CORS adds for a request without Origin.
final class ConstantResponse: Sendable {
    private struct Forms: ~Copyable {
        var plain: ResponseHandle?
        var varying: ResponseHandle?
    }

    private let forms = Mutex(Forms(plain: nil, varying: nil))

    /// Queues the kept form.
    ///
    /// - Parameters:
    ///   - response: what the form is made of.
    ///   - defaults: fields that every answer has; the same in every call.
    ///   - varying: whether the answer depends on the origin.
    ///   - handle: the connection.
    /// - Returns: nil when the response cannot be made, else what libmicrohttpd said.
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
