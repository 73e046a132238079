import SMTPHarness

/// A session without a socket: lines in, replies and messages out.
struct Dialogue {
    var session: SMTPSession
    var faults: FaultPlan
    private(set) var messages: [SMTPSubmission] = []
    private(set) var actions: [SMTPAction] = []

    init(_ policy: SMTPPolicy = SMTPPolicy(), faults: FaultPlan = .none, hello: Bool = true) {
        session = SMTPSession(policy: policy, facts: SMTPSessionFacts(connection: 7))
        self.faults = faults
        take(session.open(faults: &self.faults))
        if hello { _ = say("EHLO client.example.org") }
    }

    /// Sends lines, each with CR LF, and returns the codes of the replies.
    @discardableResult
    mutating func say(_ lines: String...) -> [Int] {
        codes(send(Array(lines.map { $0 + "\r\n" }.joined().utf8)))
    }

    /// Sends bytes as they are.
    @discardableResult
    mutating func send(_ bytes: [UInt8]) -> [SMTPAction] {
        let new = session.receive(bytes, faults: &faults)
        take(new)
        return new
    }

    /// The last reply.
    var lastReply: SMTPReply? {
        for case .reply(let reply) in actions.reversed() { return reply }
        return nil
    }

    private mutating func take(_ new: [SMTPAction]) {
        actions += new
        for case .deliver(let message) in new { messages.append(message) }
    }

    private func codes(_ actions: [SMTPAction]) -> [Int] {
        actions.compactMap { action in
            if case .reply(let reply) = action { reply.code } else { nil }
        }
    }
}

extension SMTPPolicy {
    static func with(_ change: (inout SMTPPolicy) -> Void) -> SMTPPolicy {
        var policy = SMTPPolicy()
        change(&policy)
        return policy
    }
}
