/// The server's side of one SMTP connection as a value, without any I/O: bytes in, actions out (RFC 5321).
///
/// Any sequence of bytes is safe as input. The memory of a session is bounded by its policy: one line, or one message
/// and its recipients. Extensions: SIZE (RFC 1870), 8BITMIME (6152), SMTPUTF8 (6531), PIPELINING (2920), STARTTLS
/// (3207), AUTH (4954), ENHANCEDSTATUSCODES (2034); CHUNKING is not offered.
///
///     var session = SMTPSession(policy: SMTPPolicy(), facts: SMTPSessionFacts(connection: 1))
///     var faults = FaultPlan.none
///     perform(session.open(faults: &faults))
///     while let bytes = receive() { perform(session.receive(bytes, faults: &faults)) }
package struct SMTPSession: Sendable {
    /// The facts about the client that the session has learned so far.
    package private(set) var facts: SMTPSessionFacts
    /// Whether the session accepts more input now.
    package var isReading: Bool {
        switch phase {
        case .command, .authentication, .data: true
        case .awaitingTLS, .ended: false
        }
    }
    /// Whether a fault has hung the session: it sends nothing more and ignores what the client sends, but stays open.
    ///
    /// A hang at `tlsHandshake` does not set it.
    package private(set) var isHung = false

    let policy: SMTPPolicy
    var phase = Phase.command
    var transaction: Transaction?
    private var line: [UInt8] = []
    private var lineIsTooLong = false
    private var commandCount = 0
    private var errorCount = 0
    private var messageCount = 0

    enum Phase: Sendable {
        case command
        case authentication(AuthenticationExchange)
        case data(DataReader, fault: FaultPlan.Rule?)
        case awaitingTLS
        case ended
    }

    /// The sender and recipients of the message that the client is submitting, from MAIL to the final dot.
    struct Transaction: Sendable {
        let sender: String
        let options: MailOptions
        var recipients: [String] = []
    }

    /// Creates a session before its greeting.
    ///
    /// - Parameters:
    ///   - policy: what the session offers and demands.
    ///   - facts: the connection's number and the client's address.
    package init(policy: SMTPPolicy, facts: SMTPSessionFacts) {
        self.policy = policy
        self.facts = facts
    }

    /// Opens the session with the greeting, or with the fault that the plan has for it.
    ///
    /// - Parameter faults: the plan in force, whose limited rules count down.
    /// - Returns: the actions to perform, in order.
    package mutating func open(faults: inout FaultPlan) -> [SMTPAction] {
        var actions: [SMTPAction] = []
        if !fails(at: .greeting, &faults, &actions) {
            actions.append(.reply(SMTPReply(220, nil, policy.hostName + " ESMTP Latchkey")))
        }
        return actions
    }

    /// Processes bytes from the client.
    ///
    /// - Parameters:
    ///   - input: any bytes, of any number.
    ///   - faults: the plan in force, whose limited rules count down.
    /// - Returns: the actions to perform, in order.
    package mutating func receive(_ input: [UInt8], faults: inout FaultPlan) -> [SMTPAction] {
        var actions: [SMTPAction] = []
        var position = 0
        while position < input.count, isReading {
            if case .data(var reader, let fault) = phase {
                // The reader holds the message: without this the phase would keep a second reference and force a copy.
                phase = .command
                let left = fault.map { $0.octets - reader.octets } ?? .max
                let ended = left > 0 && reader.read(input, from: &position, limit: left)
                if let fault, ended || reader.octets >= fault.octets {
                    transaction = nil
                    perform(fault.fault, &actions)
                } else if ended {
                    finish(reader, &faults, &actions)
                } else {
                    phase = .data(reader, fault: fault)
                }
            } else if let complete = takeLine(input, from: &position) {
                handle(complete, &faults, &actions)
            }
        }
        if case .awaitingTLS = phase { facts.discardedOctets += input.count - position }
        return actions
    }

    /// Prepares for a connection that is encrypted from its first byte.
    ///
    /// The caller then performs the TLS handshake and calls ``tlsStarted(version:)``, before ``open(faults:)`` greets.
    package mutating func beginEncrypted() {
        phase = .awaitingTLS
    }

    /// Continues after the TLS handshake, and forgets everything that the client sent before (RFC 3207 §4.2).
    ///
    /// - Parameter version: the protocol, such as "TLSv1.3".
    package mutating func tlsStarted(version: String) {
        guard case .awaitingTLS = phase else { return }
        phase = .command
        facts.tlsVersion = version
        facts.clientName = ""
        facts.isExtended = false
        facts.authenticatedUser = nil
        transaction = nil
        line = []
        lineIsTooLong = false
    }

    // MARK: - Lines

    private enum Line { case command([UInt8]), tooLong, badEnd }

    private mutating func takeLine(_ input: [UInt8], from position: inout Int) -> Line? {
        let end = input[position...].firstIndex(of: 10)
        append(input[position..<(end ?? input.count)])
        position = end.map { $0 + 1 } ?? input.count
        guard end != nil else { return nil }
        defer {
            line.removeAll(keepingCapacity: line.count <= 1024)
            lineIsTooLong = false
        }
        if lineIsTooLong { return .tooLong }
        guard line.last == 13 else { return .badEnd }
        return .command(Array(line.dropLast()))
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !lineIsTooLong else { return }
        line.append(contentsOf: bytes.prefix(max(0, policy.maximumAuthenticationLine - line.count)))
        // The LF is not in the line yet, hence "less than".
        let limit = expectsLongLine ? policy.maximumAuthenticationLine : policy.maximumCommandLine
        lineIsTooLong = line.count >= limit
        if lineIsTooLong { line = [] }
    }

    private var expectsLongLine: Bool {
        if case .authentication = phase { return true }
        return line.prefix(5).elementsEqual("AUTH ".utf8) { $0 & 0xdf == $1 & 0xdf }
    }

    private mutating func handle(_ line: Line, _ faults: inout FaultPlan, _ actions: inout [SMTPAction]) {
        commandCount += 1
        guard commandCount <= policy.maximumCommands else { return end(.tooManyCommands, &actions) }
        switch (phase, line) {
        case (_, .tooLong): refuse(.lineTooLong, &actions)
        case (_, .badEnd): refuse(.badLineEnd, &actions)
        case (.authentication(let exchange), .command(let bytes)):
            phase = .command
            advance(exchange.respond(bytes), &faults, &actions)
        case (_, .command(let bytes)):
            do {
                try run(SMTPCommand(parsing: bytes), &faults, &actions)
            } catch {
                refuse(error.reply, &actions)
            }
        }
    }

    // MARK: - Replies

    /// Rejects an invalid command with a reply, and counts it.
    ///
    /// Too many invalid commands end the session.
    mutating func refuse(_ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        if case .authentication = phase { phase = .command }
        actions.append(.reply(reply))
        errorCount += 1
        if errorCount >= policy.maximumErrors { end(.tooManyErrors, &actions) }
    }

    mutating func end(_ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        actions.append(.reply(reply))
        actions.append(.close)
        phase = .ended
    }

    /// Performs the fault that the plan has for a step; false if it has none.
    mutating func fails(
        at step: FaultPlan.Step,
        recipient: String? = nil,
        _ faults: inout FaultPlan,
        _ actions: inout [SMTPAction]
    ) -> Bool {
        guard let rule = faults.rule(at: step, recipient: recipient) else { return false }
        perform(rule.fault, &actions)
        return true
    }

    mutating func perform(_ fault: FaultPlan.Fault, _ actions: inout [SMTPAction]) {
        switch fault {
        case .reply(let reply) where reply.code == 421: end(reply, &actions)
        case .reply(let reply): actions.append(.reply(reply))
        case .hang:
            isHung = true
            phase = .ended
            actions.append(.hang)
        case .drop, .keepAndDrop:
            phase = .ended
            actions.append(.drop)
        }
    }

    // MARK: - Facts

    mutating func greet(_ name: String, isExtended: Bool) {
        facts.clientName = name
        facts.isExtended = isExtended
        transaction = nil
    }

    mutating func authenticated(_ name: String) {
        facts.authenticatedUser = name
    }

    mutating func nextMessageID() -> String {
        messageCount += 1
        return "\(facts.connection).\(messageCount)"
    }
}
