internal import SMTPHarness

/// A client that sends anything: replies stay well-formed, messages stay within their limit.
///
/// The number of pieces does not matter. The delivered message is parsed as an e-mail, and so is the input itself.
func fuzzSMTP(_ bytes: [UInt8]) {
    checkMail(bytes)
    guard let choice = bytes.first else { return }
    let input = Array(bytes.dropFirst())
    var policy = SMTPPolicy()
    policy.offersStartTLS = choice & 1 != 0
    policy.users = choice & 2 != 0 ? ["app": "s3cret"] : [:]
    policy.refusesBareLineEnds = choice & 4 != 0
    policy.maximumMessageSize = 1024
    policy.maximumRecipients = 3
    let plan = plans[Int(choice >> 3) % plans.count]

    var whole = Client(policy, plan)
    whole.say(input[...])
    // With STARTTLS pieces do matter: bytes that arrive in one piece with it are discarded (RFC 3207, section 4.2).
    guard !policy.offersStartTLS else { return }
    var pieces = Client(policy, plan)
    for index in input.indices { pieces.say(input[index...index]) }
    claim(pieces.actions == whole.actions, "pieces make a difference")
}

private let plans: [FaultPlan] = [
    .none, .transient(first: 1), .droppingMidData(after: 3, first: 1), .droppingAfterData(kept: true, first: 1),
    .hanging(at: .quit), FaultPlan([.init(at: .sender, .reply(SMTPReply(7, "x\r\ny", "\r\n250 forged\u{0}")))]),
]

/// One connection, and the actions of its server.
private struct Client {
    private var session: SMTPSession
    private var faults: FaultPlan
    private(set) var actions: [SMTPAction] = []

    init(_ policy: SMTPPolicy, _ plan: FaultPlan) {
        session = SMTPSession(policy: policy, facts: SMTPSessionFacts(connection: 1))
        faults = plan
        take(session.open(faults: &faults))
    }

    mutating func say(_ bytes: ArraySlice<UInt8>) {
        guard session.isReading else { return }
        take(session.receive(Array(bytes), faults: &faults))
    }

    private mutating func take(_ new: [SMTPAction]) {
        actions += new
        for action in new {
            switch action {
            case .reply(let reply): claim(isWellFormed(reply), "\(reply)")
            case .deliver(let message):
                claim(message.raw.count <= 1024 && (1...3).contains(message.recipients.count))
                checkMail(message.raw)
            case .startTLS: session.tlsStarted(version: "TLSv1.3")
            case .close, .drop, .hang: claim(!session.isReading, "a session that is over reads on")
            }
        }
    }
}

/// Whether each line has its code and its end, and no other control character.
private func isWellFormed(_ reply: SMTPReply) -> Bool {
    var lines = reply.bytes.split(separator: 10, omittingEmptySubsequences: false)
    guard lines.popLast()?.isEmpty == true, let last = lines.indices.last else { return false }
    return lines.indices.allSatisfy { index in
        let line = lines[index].dropLast()
        return lines[index].last == 13 && line.count >= 4 && line.count <= 510
            && line.prefix(3).elementsEqual(String(reply.code).utf8)
            && line.dropFirst(3).first == (index == last ? 0x20 : 0x2D)
            && line.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// Checks that any message can be displayed.
private func checkMail(_ raw: [UInt8]) {
    let mail = ReceivedMessage(raw: raw)
    claim(mail.parts.count <= 200, "too many parts")
    for text in [mail.subject, mail.from, mail.to, mail.date, mail.messageID] + mail.parts.compactMap(\.fileName) {
        claim(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a control character")
    }
    for link in mail.links.map({ $0.lowercased() }) {
        claim(link.hasPrefix("http://") || link.hasPrefix("https://"), "a link that leads elsewhere")
    }
    _ = (mail.text, mail.html, mail.attachments.count)
}
