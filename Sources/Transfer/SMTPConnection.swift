internal import CCurl

/// An easy handle for one mail server, which keeps its connection for the next e-mail.
///
/// Its calls block, and only one thread may use it at a time.
struct SMTPConnection: ~Copyable {
    private let handle: EasyHandle
    private let transcript: SMTPTranscript
    /// libcurl's result of the last transfer.
    private let lastResult = LastResult()

    private final class LastResult {
        var value = CURLE_OK
    }

    private init(_ handle: consuming EasyHandle, _ transcript: SMTPTranscript) {
        self.handle = handle
        self.transcript = transcript
    }

    /// Sets up libcurl's handle for the configured server, without connecting.
    ///
    /// - Parameters:
    ///   - configuration: the server, and how to reach it.
    ///   - cancellation: ends a transfer that is under way.
    ///   - isRecording: whether to keep the dialogue with the server, for people.
    /// - Throws: `TransferError` if libcurl cannot make the handle.
    static func make(
        _ configuration: SMTPConfiguration,
        _ cancellation: Cancellation,
        isRecording: Bool = false
    ) throws(TransferError) -> SMTPConnection {
        let transcript = SMTPTranscript(cancellation, isRecording: isRecording)
        var handle = try EasyHandle.make()
        let scheme = configuration.security == .implicit ? "smtps" : "smtp"
        let hello = configuration.helloName.map { "/" + $0 } ?? ""
        try handle.set(CURLOPT_PROTOCOLS_STR, scheme)
        try handle.set(CURLOPT_URL, "\(scheme)://\(configuration.host):\(configuration.port)\(hello)")
        try secure(handle, configuration)
        try limit(handle, configuration)
        try handle.observe(by: transcript)
        try unsafe handle.setDebug(observeSMTP, transcript)
        return SMTPConnection(handle, transcript)
    }

    /// Sends an e-mail and waits for the server's answer.
    ///
    /// If a connection kept from an earlier e-mail turns out to be of no use any more, the e-mail is sent again over a
    /// new connection.
    borrowing func send(_ mail: SMTPMail) -> SMTPResult {
        do throws(TransferError) {
            let first = try attempt(mail)
            guard case .failed(let failure) = first, isStale(failure) else { return first }
            try handle.set(CURLOPT_FRESH_CONNECT, 1)
            defer { try? handle.set(CURLOPT_FRESH_CONNECT, 0) }
            return try attempt(mail)
        } catch {
            return .failed(SMTPFailure(error))
        }
    }

    /// Connects, encrypts and logs in as for an e-mail, sends NOOP, and waits for the answer.
    borrowing func greet() -> SMTPResult {
        do throws(TransferError) {
            try handle.set(CURLOPT_CUSTOMREQUEST, "NOOP")
            try handle.set(CURLOPT_NOBODY, 1)
        } catch {
            return .failed(SMTPFailure(error))
        }
        transcript.begin(needsSMTPUTF8: false)
        lastResult.value = handle.perform()
        if lastResult.value == CURLE_OK, let reply = transcript.reply { return .accepted(reply) }
        return .failed(SMTPFailure(lastResult.value, transcript))
    }

    /// What was said so far, with the outcome; only of a connection that was made with `isRecording`.
    borrowing func dialogue(_ result: SMTPResult) -> SMTPDialogue {
        SMTPDialogue(result, transcript, lastResult.value)
    }

    private borrowing func attempt(_ mail: SMTPMail) throws(TransferError) -> SMTPResult {
        let headers = try StringList(mail.headers + ["Content-Type: multipart/alternative"])
        let recipients = try StringList(mail.recipients)
        let body = try MIMEBody.make(text: mail.text, html: mail.html, for: handle)
        try handle.set(CURLOPT_MAIL_FROM, mail.sender)
        try handle.set(CURLOPT_MAIL_RCPT, recipients)
        try handle.set(CURLOPT_HTTPHEADER, headers)
        try handle.setBody(body)
        defer { handle.detach(CURLOPT_MAIL_RCPT, CURLOPT_HTTPHEADER, CURLOPT_MIMEPOST) }
        transcript.begin(needsSMTPUTF8: mail.needsSMTPUTF8)
        let result = handle.perform()
        lastResult.value = result
        // libcurl expects exactly 250 after the message, but any 2yz is a "positive completion" (RFC 5321 section
        // 4.2.1).
        if transcript.step == .message, let reply = transcript.reply, (200..<300).contains(reply.code) {
            return .accepted(reply)
        }
        return .failed(SMTPFailure(result, transcript))
    }

    /// Whether a kept connection was useless for a new e-mail, because the server closed it or accepts no more on it.
    private borrowing func isStale(_ failure: SMTPFailure) -> Bool {
        guard handle.number(CURLINFO_NUM_CONNECTS) == 0, failure.kind == .transient else { return false }
        return failure.step == .sender
    }

    private static func secure(
        _ handle: borrowing EasyHandle,
        _ configuration: SMTPConfiguration
    ) throws(TransferError) {
        let level =
            switch configuration.security {
            case .off, .implicit: CURLUSESSL_NONE
            case .optional: CURLUSESSL_TRY
            case .required: CURLUSESSL_ALL
            }
        try handle.set(CURLOPT_USE_SSL, Int(level.rawValue))
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = configuration.caFile { try handle.trust(onlyFile: file) }
        guard let credentials = configuration.credentials else { return }
        try handle.set(CURLOPT_USERNAME, credentials.user)
        try handle.set(CURLOPT_PASSWORD, credentials.password)
        // libcurl would prefer GSSAPI and NTLM if offered, which do not work with a user name and password.
        try handle.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN;AUTH=CRAM-MD5")
        try handle.set(CURLOPT_SASL_IR, 1)
    }

    private static func limit(
        _ handle: borrowing EasyHandle,
        _ configuration: SMTPConfiguration
    ) throws(TransferError) {
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout)
        try handle.set(CURLOPT_TIMEOUT_MS, configuration.totalTimeout)
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try handle.set(CURLOPT_LOW_SPEED_TIME, configuration.stallTimeout)
        // Also limits the QUIT to a server that stopped answering, to which the total limit does not apply.
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, (configuration.totalTimeout + 999) / 1000)
        // Servers close idle connections after a few minutes at most, so close them first.
        try handle.set(CURLOPT_MAXAGE_CONN, 60)
        try handle.set(CURLOPT_TCP_KEEPALIVE, 1)
    }
}
