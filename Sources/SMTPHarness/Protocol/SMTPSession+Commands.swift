/// Running commands: the replies and the changes of the session's state.
extension SMTPSession {
    mutating func run(
        _ command: SMTPCommand,
        _ faults: inout FaultPlan,
        _ actions: inout [SMTPAction]
    ) throws(SMTPCommand.Refusal) {
        if let step = command.step, fails(at: step, &faults, &actions) { return }
        if policy.requiresTLS, facts.tlsVersion == nil, !command.isAllowedBeforeTLS {
            return actions.append(.reply(.tlsRequired))
        }
        switch command {
        case .helo(let name):
            greet(name, isExtended: false)
            actions.append(.reply(SMTPReply(250, nil, policy.hostName)))
        case .ehlo(let name):
            greet(name, isExtended: true)
            actions.append(.reply(SMTPReply(250, nil, lines: extensions(faults))))
        case .startTLS: startTLS(faults, &actions)
        case .auth(let mechanism, let response): authenticate(mechanism, response, &faults, &actions)
        case .mail(let path, let parameters): try begin(path, parameters, &actions)
        case .recipient(let path, let parameters): add(path, parameters, &faults, &actions)
        case .data: startData(&faults, &actions)
        case .reset:
            transaction = nil
            actions.append(.reply(.ok))
        case .noop: actions.append(.reply(.ok))
        case .verify: actions.append(.reply(.cannotVerify))
        case .help: actions.append(.reply(.help))
        case .quit: end(.bye, &actions)
        case .notSupported: refuse(.notSupported, &actions)
        }
    }

    private func extensions(_ faults: FaultPlan) -> [String] {
        var lines = [policy.hostName, "PIPELINING", "SIZE \(policy.maximumMessageSize)", "8BITMIME", "SMTPUTF8"]
        lines.append("ENHANCEDSTATUSCODES")
        if canStartTLS(faults) { lines.append("STARTTLS") }
        if offersAuthentication { lines.append("AUTH PLAIN LOGIN") }
        return lines
    }

    private func canStartTLS(_ faults: FaultPlan) -> Bool {
        policy.offersStartTLS && !faults.withholdsStartTLS && facts.tlsVersion == nil
    }

    private var offersAuthentication: Bool {
        !policy.users.isEmpty && !(policy.authenticationRequiresTLS && facts.tlsVersion == nil)
    }

    private mutating func startTLS(_ faults: FaultPlan, _ actions: inout [SMTPAction]) {
        guard facts.tlsVersion == nil else { return actions.append(.reply(.badSequence)) }
        guard canStartTLS(faults) else { return refuse(.notSupported, &actions) }
        actions.append(.reply(.readyForTLS))
        actions.append(.startTLS)
        phase = .awaitingTLS
    }

    // MARK: - AUTH

    private mutating func authenticate(
        _ mechanism: String,
        _ response: [UInt8]?,
        _ faults: inout FaultPlan,
        _ actions: inout [SMTPAction]
    ) {
        guard facts.isExtended else { return actions.append(.reply(.helloFirst)) }
        guard !policy.users.isEmpty else { return refuse(.notSupported, &actions) }
        guard facts.authenticatedUser == nil, transaction == nil else { return actions.append(.reply(.badSequence)) }
        guard offersAuthentication else { return refuse(.authNeedsTLS, &actions) }
        guard let exchange = AuthenticationExchange(mechanism: mechanism) else {
            return refuse(.unknownMechanism, &actions)
        }
        guard let response else { return advance(.challenge(exchange.firstChallenge, exchange), &faults, &actions) }
        advance(exchange.respond(response), &faults, &actions)
    }

    mutating func advance(
        _ step: AuthenticationExchange.Step,
        _ faults: inout FaultPlan,
        _ actions: inout [SMTPAction]
    ) {
        switch step {
        case .challenge(let text, let next):
            actions.append(.reply(SMTPReply(334, nil, text)))
            phase = .authentication(next)
        case .refuse(let reply): refuse(reply, &actions)
        case .credentials(let name, let password):
            if fails(at: .authentication, &faults, &actions) { return }
            guard policy.users[name] == password else { return refuse(.authFailed, &actions) }
            authenticated(name)
            actions.append(.reply(.authenticated))
        }
    }

    // MARK: - The transaction

    private mutating func begin(
        _ path: SMTPPath,
        _ parameters: SMTPParameters,
        _ actions: inout [SMTPAction]
    ) throws(SMTPCommand.Refusal) {
        guard !facts.clientName.isEmpty else { return actions.append(.reply(.helloFirst)) }
        guard !policy.requiresAuthentication || facts.authenticatedUser != nil else {
            return actions.append(.reply(.authRequired))
        }
        guard transaction == nil else { return actions.append(.reply(.badSequence)) }
        guard facts.isExtended || parameters.items.isEmpty else { return refuse(.unknownParameter, &actions) }
        let options = try MailOptions(parameters, maximumSize: policy.maximumMessageSize)
        guard options.isInternational || !path.isInternational else { return actions.append(.reply(.needsSMTPUTF8)) }
        transaction = Transaction(sender: path.mailbox, options: options)
        actions.append(.reply(.senderOk))
    }

    private mutating func add(
        _ path: SMTPPath,
        _ parameters: SMTPParameters,
        _ faults: inout FaultPlan,
        _ actions: inout [SMTPAction]
    ) {
        guard let current = transaction else { return actions.append(.reply(.mailFirst)) }
        guard parameters.items.isEmpty else { return refuse(.unknownParameter, &actions) }
        guard current.options.isInternational || !path.isInternational else {
            return actions.append(.reply(.needsSMTPUTF8))
        }
        if fails(at: .recipient, recipient: path.mailbox, &faults, &actions) { return }
        guard current.recipients.count < policy.maximumRecipients else {
            return actions.append(.reply(.tooManyRecipients))
        }
        transaction?.recipients.append(path.mailbox)
        actions.append(.reply(.recipientOk))
    }

    private mutating func startData(_ faults: inout FaultPlan, _ actions: inout [SMTPAction]) {
        guard let transaction else { return actions.append(.reply(.mailFirst)) }
        guard !transaction.recipients.isEmpty else { return actions.append(.reply(.noRecipients)) }
        if fails(at: .data, &faults, &actions) { return }
        actions.append(.reply(.startData))
        phase = .data(DataReader(maximumSize: policy.maximumMessageSize), fault: faults.rule(at: .messageText))
    }

    /// Finishes a message after its final dot: appends its delivery and the reply, or a rejection or fault.
    mutating func finish(_ reader: DataReader, _ faults: inout FaultPlan, _ actions: inout [SMTPAction]) {
        phase = .command
        guard let transaction else { return }
        self.transaction = nil
        if reader.isTooBig { return actions.append(.reply(.tooBig)) }
        if reader.longestLine > policy.maximumTextLine { return actions.append(.reply(.textLineTooLong)) }
        if policy.refusesBareLineEnds, reader.hasBareLineEnds { return actions.append(.reply(.bareLineEnds)) }
        let fault = faults.rule(at: .messageEnd)?.fault
        if let fault, fault != .keepAndDrop { return perform(fault, &actions) }
        let submission = SMTPSubmission(
            id: nextMessageID(),
            sender: transaction.sender,
            recipients: transaction.recipients,
            options: transaction.options,
            raw: reader.message,
            hasBareLineEnds: reader.hasBareLineEnds,
            session: facts
        )
        actions.append(.deliver(submission))
        if let fault { return perform(fault, &actions) }
        actions.append(.reply(SMTPReply(250, "2.0.0", "Ok: queued as " + submission.id)))
    }
}

extension SMTPCommand {
    /// The step at which a fault plan may fail this command before it runs; nil for commands that ask the plan while
    /// they run, or never.
    fileprivate var step: FaultPlan.Step? {
        switch self {
        case .helo, .ehlo: .hello
        case .startTLS: .startTLS
        case .mail: .sender
        case .reset: .reset
        case .noop: .noop
        case .quit: .quit
        case .recipient, .data, .auth, .verify, .help, .notSupported: nil
        }
    }

    fileprivate var isAllowedBeforeTLS: Bool {
        switch self {
        case .helo, .ehlo, .startTLS, .noop, .quit: true
        default: false
        }
    }
}
