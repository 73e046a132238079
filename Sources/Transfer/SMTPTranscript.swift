internal import CCurl

/// Records the dialogue of one SMTP transfer, to determine which step failed and with which reply.
///
/// libcurl's result is not enough: MAIL, RCPT and DATA share one error number, greeting and message another.
final class SMTPTranscript: TransferObserver {
    private(set) var step = SMTPStep.connect
    /// The reply to the last command; nil until it has arrived.
    private(set) var reply: SMTPReply?
    /// The lines of the reply that has begun; at most ``mostLines``, and none of the greeting and the hello.
    private var earlier: [SMTPReply] = []
    private static let mostLines = 20
    /// Whether the end of the body was passed to the socket.
    ///
    /// After that, silence does not mean "not delivered".
    private(set) var isBodySent = false
    /// Whether the transfer was stopped because the server lacks SMTPUTF8.
    private(set) var lacksSMTPUTF8 = false
    /// Whether libcurl has sent QUIT, which it also does after a rejection.
    ///
    /// Later replies do not concern the e-mail.
    private var hasQuit = false
    private var needsSMTPUTF8 = false
    /// Whether the server's last EHLO reply offers SMTPUTF8.
    ///
    /// The value is kept between e-mails, because a reused connection does not send EHLO again.
    private var offersSMTPUTF8 = false
    private let cancellation: Cancellation
    /// Everything that was said; `nil` unless an operator reads it.
    private(set) var lines: [SMTPLine]?
    /// Whether a login was attempted.
    private(set) var hasLoggedIn = false
    /// What libcurl says about TLS.
    let tls = TLSNotes()

    init(_ cancellation: Cancellation, isRecording: Bool = false) {
        self.cancellation = cancellation
        lines = isRecording ? [] : nil
    }

    func mayContinue() -> Bool { !cancellation.isCancelled }

    /// Resets the record for the next e-mail.
    func begin(needsSMTPUTF8: Bool) {
        step = .connect
        reply = nil
        earlier = []
        isBodySent = false
        lacksSMTPUTF8 = false
        hasQuit = false
        self.needsSMTPUTF8 = needsSMTPUTF8
    }

    /// Records an outgoing command; only its verb is examined.
    func send(_ command: UnsafeRawBufferPointer) {
        if unsafe command.elementsEqual("QUIT\r\n".utf8) { hasQuit = true }
        guard !hasQuit else { return }
        let next = unsafe Self.step(of: command, after: step)
        if next == .authentication { hasLoggedIn = true }
        if lines != nil { unsafe record(.client, SMTPLine.command(command, isLogin: next == .authentication)) }
        guard let next else { return }
        if next == .hello { offersSMTPUTF8 = false }
        step = next
        reply = nil
    }

    /// Records an outgoing piece of the body.
    func sendBody(_ piece: UnsafeRawBufferPointer) {
        if step == .data {
            step = .message
            reply = nil
            record(.note, "The message follows.")
        }
        // The last piece ends with the closing boundary. Text may look like it too, which only makes the result more
        // cautious.
        isBodySent = unsafe piece.suffix(4).elementsEqual("--\r\n".utf8)
    }

    /// Ignores the bytes: an SMTP server sends no body.
    func receiveBody(_: UnsafeRawBufferPointer) -> Bool { true }

    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !hasQuit else { return true }
        if step == .connect { step = .greeting }
        if lines != nil { unsafe record(.server, SMTPLine.text(line)) }
        if step == .hello, unsafe Self.isKeyword("SMTPUTF8", line) { offersSMTPUTF8 = true }
        guard unsafe SMTPReply.isLast(line) else {
            if step >= .sender, earlier.count < Self.mostLines, let line = unsafe SMTPReply(line: line) {
                earlier.append(line)
            }
            return true
        }
        reply = unsafe SMTPReply(line: line)?.following(earlier)
        earlier = []
        // Stopped here, before any recipient. libcurl itself would send the address to a server that cannot read it.
        if step == .sender, needsSMTPUTF8, !offersSMTPUTF8 {
            lacksSMTPUTF8 = true
            return false
        }
        return true
    }

    /// Records a message of libcurl about the connection.
    func note(_ text: UnsafeRawBufferPointer) {
        guard lines != nil else { return }
        if let line = unsafe tls.note(text) { record(.note, line) }
    }

    private func record(_ side: SMTPLine.Side, _ text: String) {
        // A server cannot make the record grow without bounds.
        guard let count = lines?.count, count < 200 else { return }
        lines?.append(SMTPLine(side: side, text: text))
    }

    private static func step(of command: UnsafeRawBufferPointer, after step: SMTPStep) -> SMTPStep? {
        func begins(_ verb: String) -> Bool { unsafe command.starts(with: verb.utf8) }
        // The colon keeps base64 data of an AUTH dialogue from being mistaken for a command.
        if begins("MAIL FROM:") { return .sender }
        if begins("RCPT TO:") { return .recipient }
        switch step {
        case .sender, .recipient: return begins("DATA") ? .data : nil
        // After the login, a dialogue without an e-mail sends NOOP.
        case .authentication: return begins("NOOP") ? nil : .authentication
        default: break
        }
        if begins("EHLO") || begins("HELO") { return .hello }
        if begins("STARTTLS") { return .startTLS }
        return begins("AUTH") ? .authentication : nil
    }

    /// Whether a line of the EHLO reply, after its code, begins with that keyword, ignoring case (RFC 5321 section
    /// 4.1.1.1).
    private static func isKeyword(_ keyword: String, _ line: UnsafeRawBufferPointer) -> Bool {
        unsafe line.dropFirst(4).prefix(keyword.utf8.count).map { $0 & 0xDF }.elementsEqual(
            keyword.utf8.map { $0 & 0xDF }
        )
    }
}

/// libcurl's CURLOPT_DEBUGFUNCTION: passes each command and each piece of the body that was sent to the transcript.
func observeSMTP(
    _ handle: UnsafeMutableRawPointer?,
    _ type: curl_infotype,
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    let transcript = unsafe Unmanaged<SMTPTranscript>.fromOpaque(context).takeUnretainedValue()
    let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size)
    switch type {
    case CURLINFO_HEADER_OUT: unsafe transcript.send(bytes)
    case CURLINFO_DATA_OUT: unsafe transcript.sendBody(bytes)
    case CURLINFO_TEXT: unsafe transcript.note(bytes)
    default: break
    }
    return 0
}
