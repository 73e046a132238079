internal import Transfer

extension Doctor {
    /// Holds the dialogue with the mail server up to the login, and reports each step.
    func mailServerChecks() async -> [DoctorFinding] {
        guard configuration.smtpURL != nil else {
            return [
                .warning("smtp", "There is no mail server, so e-mails stay in the development mailbox.", "Set smtpURL.")
            ]
        }
        var smtp: SMTPConfiguration
        do { smtp = try configuration.smtp(mailbox: nil) } catch {
            return [.problem("smtp", "\(error)", "Correct smtpURL.")]
        }
        smtp.connectTimeout = min(smtp.connectTimeout, 8_000)
        smtp.totalTimeout = min(smtp.totalTimeout, 12_000)
        let dialogue = await SMTPDialogue.hold(smtp)
        var findings: [DoctorFinding] = []
        if dialogue.step >= .greeting {
            findings.append(.ok("smtp.connect", "\(smtp.server) answers."))
        }
        if let tls = dialogue.tls, dialogue.problem.map({ !$0.concernsTLS }) ?? true {
            findings.append(.ok("smtp.tls", "The connection is encrypted with \(tls)."))
            findings += certificate(dialogue.certificateExpiry, check: "smtp.certificate")
        }
        if let words = MailAdvice(dialogue, smtp) {
            findings.append(.problem(dialogue.problem?.check ?? "smtp", words.message + ".", words.advice))
            return findings
        }
        return findings + [encryption(dialogue, smtp), login(dialogue, smtp)].compactMap(\.self)
    }

    private func encryption(_ dialogue: SMTPDialogue, _ smtp: SMTPConfiguration) -> DoctorFinding? {
        guard dialogue.tls == nil else { return nil }
        guard smtp.isOnThisMachine else {
            return .warning(
                "smtp.tls",
                "E-mails with sign-in links are sent in clear text, and so is the password.",
                "Remove starttls=\(smtp.security.rawValue) from smtpURL; without it, STARTTLS is required."
            )
        }
        return .ok("smtp.tls", "The connection is not encrypted, and does not leave this machine.")
    }

    private func login(_ dialogue: SMTPDialogue, _ smtp: SMTPConfiguration) -> DoctorFinding? {
        switch (smtp.credentials != nil, dialogue.hasLoggedIn) {
        case (true, true): .ok("smtp.login", "The server accepts the login.")
        case (true, false):
            .problem(
                "smtp.login",
                "smtpURL has a user and a password, but the server offers no login (AUTH), so e-mails are sent without one.",
                "Use the server's port for submission, usually 587."
            )
        case (false, _):
            smtp.isOnThisMachine
                ? nil
                : .warning(
                    "smtp.login",
                    "smtpURL has no user, so the server must know this machine by its address.",
                    "Give user and password if the server has them: smtp://user:password@\(smtp.host):\(smtp.port)"
                )
        }
    }
}

extension SMTPDialogue.Problem {
    /// Whether the connection could not be encrypted.
    fileprivate var concernsTLS: Bool {
        switch self {
        case .noStartTLS, .certificate, .authorities, .handshake: true
        default: false
        }
    }

    /// The name of the check that failed.
    fileprivate var check: String {
        switch self {
        case .noStartTLS, .handshake, .authorities: "smtp.tls"
        case .certificate: "smtp.certificate"
        case .noMechanism, .rejected(.authentication, _): "smtp.login"
        case .unknownHost, .noConnection, .timedOut, .lost: "smtp.connect"
        case .invalid, .rejected, .noSMTPUTF8: "smtp.dialogue"
        }
    }
}
