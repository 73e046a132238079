internal import CCurl

/// The reason why an e-mail was not sent, and how to handle the failure.
package struct SMTPFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// How to handle the failure.
    package enum Kind: Sendable, Equatable {
        /// The server rejected the e-mail or a recipient for good, or the e-mail cannot be sent at all, for example
        /// because the server lacks SMTPUTF8. A retry will not help.
        case permanent
        /// The e-mail was rejected for now, or the connection failed between `MAIL` and the end of the message.
        ///
        /// Retry the e-mail later.
        case transient
        /// The server could not be used at all, for any e-mail. Retry when it is back.
        case unavailable
        /// The server cannot be used as configured: for example, it rejects the login, the sender address or relaying,
        /// or its certificate is not trusted.
        ///
        /// The operator must act; e-mails wait.
        case misconfigured
        /// The connection was lost after the whole message was sent, so the server may have accepted the e-mail or not.
        case ambiguous
    }

    package let kind: Kind
    /// The step that failed.
    package let step: SMTPStep
    /// The server's reply that rejected the step; nil if no reply did, as when the connection failed.
    package let reply: SMTPReply?
    /// An explanation by libcurl or Latchkey; empty if the failure was made from a reply alone.
    package let detail: String

    /// The step with the reply's code or the reason.
    ///
    /// The text contains no address and no server text, so it may be logged.
    package var description: String {
        guard let reply else { return "\(step): \(detail)" }
        return "\(step): \(reply.code)" + (reply.enhanced.map { " " + $0 } ?? "")
    }

    /// Whether the server said permanently that the recipient's mailbox does not exist: a RCPT reply with 5.1.x (RFC
    /// 3463, section 3.2).
    package var saysNoSuchMailbox: Bool {
        kind == .permanent && step == .recipient && reply?.enhanced?.hasPrefix("5.1.") == true
    }

    /// Whether a mail server refused the e-mail because its sender's domain does not prove its e-mails, by SPF, DKIM or
    /// DMARC, which the operator must set up.
    package var refusesSenderDomain: Bool { kind == .misconfigured && reply?.refusesSenderDomain == true }

    /// Whether the e-mail failed before `MAIL`, so that the failure concerns the connection and not this one e-mail.
    package var concernsConnection: Bool { step < .sender }

    /// Creates a failure to prepare the connection or the e-mail, before any of the e-mail's content was sent.
    init(_ error: TransferError) {
        kind = error.kind == .invalid ? .permanent : .unavailable
        step = .connect
        reply = nil
        detail = error.description
    }

    /// Creates a failure from a server's rejection of a step.
    package init(step: SMTPStep, reply: SMTPReply) {
        self.step = step
        self.reply = reply
        detail = ""
        kind = Self.kind(step: step, reply: reply, isOurFault: false, isBodySent: false)
    }

    /// Creates a failure from libcurl's result and the transcript of an unsuccessful transfer.
    init(_ result: CURLcode, _ transcript: SMTPTranscript) {
        step = transcript.step
        guard !transcript.lacksSMTPUTF8 else {
            kind = .permanent
            reply = nil
            detail = "the server does not accept internationalised addresses (SMTPUTF8)"
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

    /// Classifies a failure.
    ///
    /// - Parameters:
    ///   - step: the step that failed.
    ///   - reply: the rejection, 400 or above; nil if the connection failed instead.
    ///   - isOurFault: whether libcurl reports a configuration fault, such as an untrusted certificate.
    ///   - isBodySent: whether the whole message had been passed to the network.
    /// - Returns: how to handle the failure.
    package static func kind(step: SMTPStep, reply: SMTPReply?, isOurFault: Bool, isBodySent: Bool) -> Kind {
        guard let reply else {
            if isOurFault { return .misconfigured }
            if step == .message, isBodySent { return .ambiguous }
            return step < .sender ? .unavailable : .transient
        }
        guard reply.code >= 500 else { return step < .sender ? .unavailable : .transient }
        guard step >= .sender else { return .misconfigured }
        if reply.refusesUs { return .misconfigured }
        // The sender is the server's own, so its rejection is not the recipient's fault. Only "too big" (552) is the
        // e-mail's.
        if step == .sender, reply.code != 552 { return .misconfigured }
        return .permanent
    }

    /// libcurl's results when the server cannot be used as configured.
    private static let configurationFaults: Set<UInt32> = [
        CURLE_USE_SSL_FAILED.rawValue, CURLE_PEER_FAILED_VERIFICATION.rawValue, CURLE_SSL_CACERT_BADFILE.rawValue,
        CURLE_SSL_ISSUER_ERROR.rawValue, CURLE_SSL_CIPHER.rawValue, CURLE_LOGIN_DENIED.rawValue,
        CURLE_AUTH_ERROR.rawValue,
    ]
}

extension SMTPReply {
    /// Whether a 5xx reply after the greeting concerns this server as a client rather than the recipient:
    /// authentication (RFC 4954 section 6), missing encryption, or no permission to relay.
    ///
    /// Relaying has no code of its own: 550 and 554 with 5.7.1 also mean a policy against one recipient. But every
    /// server names it in the text. Codes 5.1.x concern an address: 5.1.7 and 5.1.8 that of the sender, all others that
    /// of the recipient.
    var refusesUs: Bool {
        if [530, 534, 535, 538].contains(code) { return true }
        guard let enhanced else { return namesRelaying }
        if Self.codesAboutUs.contains(enhanced) || refusesSenderDomain { return true }
        return !enhanced.hasPrefix("5.1.") && namesRelaying
    }

    /// Whether a 5xx reply is about the domain of the sender: a code of RFC 7372 or RFC 7505, or one of Microsoft's
    /// (5.7.509 and 5.7.515), but not a bare 5.7.1, which many servers send for spam.
    package var refusesSenderDomain: Bool { code >= 500 && enhanced.map(Self.codesAboutSenderDomain.contains) == true }

    private static let codesAboutSenderDomain = Set((20...27).map { "5.7.\($0)" } + ["5.7.509", "5.7.515"])

    private static let codesAboutUs: Set<String> = [
        "5.1.7", "5.1.8", "5.7.0", "5.7.8", "5.7.9", "5.7.11", "5.7.13", "5.7.14",
    ]
}
