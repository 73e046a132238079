internal import CCurl

/// What libcurl says and hears in one SMTP transfer: enough to tell which step failed and with which reply.
///
/// libcurl's result alone does not say it: MAIL, RCPT and DATA fail with one number, greeting and message with another.
final class SMTPTranscript {
    private(set) var step = SMTPStep.connect
    /// The reply to the last command, nil as long as there is none.
    private(set) var reply: SMTPReply?
    /// Whether the end of the body was handed to the socket, after which silence does not mean "not delivered".
    private(set) var isBodySent = false
    /// Whether the transfer was stopped because the server lacks SMTPUTF8.
    private(set) var lacksSMTPUTF8 = false
    /// Whether libcurl has said QUIT, which it does after a refusal too: what follows is not about the mail.
    private var hasQuit = false
    private var needsSMTPUTF8 = false
    /// Kept between mails: a reused connection does not say EHLO again.
    private var offersSMTPUTF8 = false
    private let cancellation: Cancellation

    init(_ cancellation: Cancellation) {
        self.cancellation = cancellation
    }

    /// Whether the transfer is to end now.
    var isCancelled: Bool { cancellation.isCancelled }

    /// Begins a mail.
    func begin(needsSMTPUTF8: Bool) {
        step = .connect
        reply = nil
        isBodySent = false
        lacksSMTPUTF8 = false
        hasQuit = false
        self.needsSMTPUTF8 = needsSMTPUTF8
    }

    /// Takes a command on its way out; only its verb is looked at.
    func send(_ command: UnsafeRawBufferPointer) {
        if unsafe command.elementsEqual("QUIT\r\n".utf8) { hasQuit = true }
        guard !hasQuit, let next = unsafe Self.step(of: command, after: step) else { return }
        if next == .hello { offersSMTPUTF8 = false }
        step = next
        reply = nil
    }

    /// Takes a piece of the body on its way out.
    func sendBody(_ piece: UnsafeRawBufferPointer) {
        if step == .data {
            step = .message
            reply = nil
        }
        // The last piece ends with the closing boundary. Text may look like it too, which only makes us more careful.
        isBodySent = unsafe piece.suffix(4).elementsEqual("--\r\n".utf8)
    }

    /// Takes a line from the server; false stops the transfer.
    func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !hasQuit else { return true }
        if step == .connect { step = .greeting }
        if step == .hello, unsafe Self.isKeyword("SMTPUTF8", line) { offersSMTPUTF8 = true }
        guard unsafe SMTPReply.isLast(line) else { return true }
        reply = unsafe SMTPReply(line: line)
        // Here, before any recipient: libcurl itself would send the address to a server that cannot read it.
        if step == .sender, needsSMTPUTF8, !offersSMTPUTF8 {
            lacksSMTPUTF8 = true
            return false
        }
        return true
    }

    private static func step(of command: UnsafeRawBufferPointer, after step: SMTPStep) -> SMTPStep? {
        func begins(_ verb: String) -> Bool { unsafe command.starts(with: verb.utf8) }
        // The colon keeps base64 of an AUTH dialogue from being taken for a command.
        if begins("MAIL FROM:") { return .sender }
        if begins("RCPT TO:") { return .recipient }
        switch step {
        case .sender, .recipient: return begins("DATA") ? .data : nil
        case .authentication: return .authentication
        default: break
        }
        if begins("EHLO") || begins("HELO") { return .hello }
        if begins("STARTTLS") { return .startTLS }
        return begins("AUTH") ? .authentication : nil
    }

    /// Whether a line of the EHLO reply, after its code, is that keyword, in any case (RFC 5321 section 4.1.1.1).
    private static func isKeyword(_ keyword: String, _ line: UnsafeRawBufferPointer) -> Bool {
        unsafe line.dropFirst(4).prefix(keyword.utf8.count).map { $0 & 0xDF }.elementsEqual(
            keyword.utf8.map { $0 & 0xDF }
        )
    }
}

/// libcurl's CURLOPT_HEADERFUNCTION: each line of the server's replies.
func receiveSMTPLine(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context else { return 0 }
    let transcript = unsafe Unmanaged<SMTPTranscript>.fromOpaque(context).takeUnretainedValue()
    // "size is always 1", says the manual.
    return unsafe transcript.receive(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
}

/// libcurl's CURLOPT_DEBUGFUNCTION: each command and each piece of the body that was sent.
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
    default: break
    }
    return 0
}

/// libcurl's CURLOPT_XFERINFOFUNCTION, called about once a second at least: other than 0 ends the transfer.
func checkSMTPCancellation(
    _ context: UnsafeMutableRawPointer?,
    _: Int,
    _: Int,
    _: Int,
    _: Int
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    return unsafe Unmanaged<SMTPTranscript>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
}
