internal import CCurl

/// One line of the dialogue with a mail server, for the operator's own terminal.
///
/// Credentials are left out. A line may contain addresses, so it must not be logged.
package struct SMTPLine: Sendable, Equatable, CustomStringConvertible {
    /// Who said it.
    package enum Side: String, Sendable {
        case client = ">"
        case server = "<"
        /// A remark about the connection, such as the version of TLS.
        case note = "*"
    }

    package let side: Side
    package let text: String

    package var description: String { "\(side.rawValue) \(text)" }

    /// Returns a line as text: at most 500 printable characters of ASCII.
    static func text(_ line: UnsafeRawBufferPointer) -> String {
        let visible = unsafe line.prefix(500).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: " ") }
        var text = String(decoding: visible, as: UTF8.self)[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// Returns a command as text, without the credentials of a login.
    static func command(_ line: UnsafeRawBufferPointer, isLogin: Bool) -> String {
        let text = unsafe text(line)
        guard isLogin else { return text }
        let words = text.split(separator: " ")
        guard words.first == "AUTH" else { return "(credentials)" }
        return words.prefix(2).joined(separator: " ") + (words.count > 2 ? " (credentials)" : "")
    }
}

/// A whole dialogue with a mail server, from the connection to its end.
package struct SMTPDialogue: Sendable {
    /// Why a dialogue ended before its goal.
    package enum Problem: Sendable, Equatable {
        /// The configuration or the e-mail cannot be used at all.
        case invalid(String)
        case unknownHost
        case noConnection
        case timedOut(SMTPStep)
        /// The server offers no STARTTLS, which is required.
        case noStartTLS
        /// The certificate is not accepted, with OpenSSL's reason.
        case certificate(String)
        /// The file of certificate authorities cannot be read.
        case authorities
        /// The TLS handshake failed for another reason.
        case handshake
        /// The server offers none of the login mechanisms that work with a user name and a password.
        case noMechanism
        /// The server's reply rejected the step.
        case rejected(SMTPStep, SMTPReply)
        /// The server accepts no internationalised addresses.
        case noSMTPUTF8
        /// The connection was lost.
        case lost(SMTPStep)
    }

    /// What was said, in order.
    package let lines: [SMTPLine]
    /// The last step that was reached.
    package let step: SMTPStep
    /// Whether a login was attempted.
    package let hasLoggedIn: Bool
    /// Version and cipher of TLS, such as "TLSv1.3 / TLS_AES_256_GCM_SHA384"; `nil` for a connection in clear text.
    package let tls: String?
    /// When the server's certificate expires, in milliseconds since 1970; `nil` if it is not known.
    package let certificateExpiry: Int64?
    /// The server's last reply, if the dialogue reached its goal.
    package let accepted: SMTPReply?
    /// Why it did not; `nil` if it did.
    package let problem: Problem?

    init(_ result: SMTPResult, _ transcript: SMTPTranscript, _ code: CURLcode) {
        lines = transcript.lines ?? []
        step = transcript.step
        hasLoggedIn = transcript.hasLoggedIn
        tls = transcript.tls.version
        certificateExpiry = transcript.tls.expiry
        switch result {
        case .accepted(let reply):
            accepted = reply
            problem = nil
        case .failed(let failure):
            accepted = nil
            problem = Problem(failure, transcript, code)
        }
    }

    /// Creates a dialogue that did not begin.
    private init(invalid reason: String) {
        (lines, step, hasLoggedIn, tls, certificateExpiry) = ([], .connect, false, nil, nil)
        accepted = nil
        problem = .invalid(reason)
    }

    /// Holds a dialogue over a new connection, which it closes at the end.
    ///
    /// - Parameters:
    ///   - configuration: the mail server and its time limits.
    ///   - mail: the e-mail to send; `nil` to end after the login, with a NOOP.
    package static func hold(_ configuration: SMTPConfiguration, sending mail: SMTPMail? = nil) async -> SMTPDialogue {
        await BlockingQueue(label: "latchkey.smtp-dialogue").run {
            do throws(TransferError) {
                let connection = try SMTPConnection.make(configuration, Cancellation(), isRecording: true)
                let result: SMTPResult
                if let mail { result = connection.send(mail) } else { result = connection.greet() }
                return connection.dialogue(result)
            } catch {
                return SMTPDialogue(invalid: error.description)
            }
        }
    }
}

extension SMTPDialogue.Problem {
    init(_ failure: SMTPFailure, _ transcript: SMTPTranscript, _ code: CURLcode) {
        if transcript.lacksSMTPUTF8 {
            self = .noSMTPUTF8
        } else if let reply = failure.reply {
            self = .rejected(failure.step, reply)
        } else if let reason = transcript.tls.problem {
            self = .certificate(reason)
        } else {
            switch code {
            case CURLE_OK: self = .invalid(failure.detail)
            case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
            case CURLE_COULDNT_CONNECT: self = .noConnection
            case CURLE_OPERATION_TIMEDOUT: self = .timedOut(failure.step)
            case CURLE_USE_SSL_FAILED: self = .noStartTLS
            case CURLE_SSL_CACERT_BADFILE: self = .authorities
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: self = .certificate(failure.detail)
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: self = .handshake
            case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: self = .noMechanism
            default: self = .lost(failure.step)
            }
        }
    }
}
