internal import CCurl

/// Why a mail was not sent, and what that means for it.
package struct SMTPFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What to do about it.
    package enum Kind: Sendable, Equatable {
        /// This mail or recipient is refused: trying again will not help.
        case permanent
        /// This mail did not pass now: try it again later.
        case transient
        /// The server could not be used at all, whatever the mail: try again when it is back.
        case unavailable
        /// The server refuses us (authentication, certificate, sender): an operator must act; the mails can wait.
        case misconfigured
        /// The connection was lost after the whole message was sent: it may have been taken or not.
        case ambiguous
    }

    package let kind: Kind
    /// The step that failed.
    package let step: SMTPStep
    /// The server's reply to that step, if it refused it.
    package let reply: SMTPReply?
    /// What libcurl or we say about it: a constant sentence.
    package let detail: String

    /// The step with the reply's code or the reason: no address, no text of the server, so safe for logs.
    package var description: String {
        guard let reply else { return "\(step): \(detail)" }
        return "\(step): \(reply.code)" + (reply.enhanced.map { " " + $0 } ?? "")
    }

    /// Whether the server said for good that the recipient's mailbox does not exist: a RCPT reply with 5.1.x (RFC 3463,
    /// section 3.2).
    package var saysNoSuchMailbox: Bool {
        kind == .permanent && step == .recipient && reply?.enhanced?.hasPrefix("5.1.") == true
    }

    /// Whether the whole connection is concerned rather than this one mail.
    package var concernsConnection: Bool { step < .sender }

    /// A failure of our own preparation, before anything was sent.
    init(_ error: TransferError) {
        kind = error.kind == .invalid ? .permanent : .unavailable
        step = .connect
        reply = nil
        detail = error.description
    }

    /// A server's refusal of a step.
    package init(step: SMTPStep, reply: SMTPReply) {
        self.step = step
        self.reply = reply
        detail = ""
        kind = Self.kind(step: step, reply: reply, isOurFault: false, isBodySent: false)
    }

    /// Reads what libcurl and the transcript say after a transfer that did not succeed.
    init(_ result: CURLcode, _ transcript: SMTPTranscript) {
        step = transcript.step
        guard !transcript.lacksSMTPUTF8 else {
            kind = .permanent
            reply = nil
            detail = "the server does not take internationalised addresses (SMTPUTF8)"
            return
        }
        reply = transcript.reply.flatMap { $0.code >= 400 ? $0 : nil }
        detail = result.sentence
        kind = Self.kind(
            step: step,
            reply: reply,
            isOurFault: Self.configurationFaults.contains(result.rawValue),
            isBodySent: transcript.isBodySent
        )
    }

    /// The rule itself.
    ///
    /// - Parameters:
    ///   - step: the step that failed.
    ///   - reply: the refusal, 400 or above; nil if the connection failed instead.
    ///   - isOurFault: whether libcurl names a fault of configuration, like an untrusted certificate.
    ///   - isBodySent: whether the whole message had been handed to the network.
    /// - Returns: whose matter it is and what may help.
    package static func kind(step: SMTPStep, reply: SMTPReply?, isOurFault: Bool, isBodySent: Bool) -> Kind {
        guard let reply else {
            if isOurFault { return .misconfigured }
            if step == .message, isBodySent { return .ambiguous }
            return step < .sender ? .unavailable : .transient
        }
        guard reply.code >= 500 else { return step < .sender ? .unavailable : .transient }
        guard step >= .sender else { return .misconfigured }
        if reply.refusesUs { return .misconfigured }
        // A sender is ours, so its refusal is no fault of the recipient; only "too big" (552) is the mail's.
        if step == .sender, reply.code != 552 { return .misconfigured }
        return .permanent
    }

    /// What libcurl reports when the server cannot be used as configured.
    private static let configurationFaults: Set<UInt32> = [
        CURLE_USE_SSL_FAILED.rawValue, CURLE_PEER_FAILED_VERIFICATION.rawValue, CURLE_SSL_CACERT_BADFILE.rawValue,
        CURLE_SSL_ISSUER_ERROR.rawValue, CURLE_SSL_CIPHER.rawValue, CURLE_LOGIN_DENIED.rawValue,
        CURLE_AUTH_ERROR.rawValue,
    ]
}

extension SMTPReply {
    /// Whether a 5xx after the greeting is about the client rather than the recipient: authentication (RFC 4954
    /// section 6), encryption first, or no right to relay.
    ///
    /// Relaying has no code of its own (550 and 554 with 5.7.1 also mean policy against one recipient), but every
    /// server names it. Codes 5.1.x are about an address: 5.1.7 and 5.1.8 about the sender's, which is ours, all others about
    /// the recipient's.
    var refusesUs: Bool {
        if [530, 534, 535, 538].contains(code) { return true }
        guard let enhanced else { return namesRelaying }
        if Self.codesAboutUs.contains(enhanced) { return true }
        return !enhanced.hasPrefix("5.1.") && namesRelaying
    }

    private static let codesAboutUs: Set<String> = [
        "5.1.7", "5.1.8", "5.7.0", "5.7.8", "5.7.9", "5.7.11", "5.7.13", "5.7.14",
    ]
}
