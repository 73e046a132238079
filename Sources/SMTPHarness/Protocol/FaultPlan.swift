/// What the server shall do wrong: a value that can be exchanged while the server runs.
///
///     server.faults = .transient(451, at: .messageEnd, first: 2)
///     server.faults = .none
///
/// A plan is a list of rules (`FaultPlan([.init(at: .recipient, .reply(550), recipient: "gone@example.org")])`) and a few
/// switches; the functions below make the common ones. Rules that apply a limited number of times count down in the plan
/// itself, across all connections.
package struct FaultPlan: Sendable, Equatable {
    /// The rules, asked in order; the first that fits and is not used up applies.
    package var rules: [Rule]
    /// Nobody listens on the port: connections are refused by the operating system.
    package var refusesConnections = false
    /// A pause before every reply.
    package var replyDelay: Duration = .zero
    /// STARTTLS is neither offered nor taken.
    package var withholdsStartTLS = false

    /// A plan of rules.
    ///
    /// - Parameter rules: Asked in order.
    package init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    /// Where in a session a fault happens.
    package enum Step: Sendable, Hashable, CaseIterable {
        /// The connection is there, the greeting is due.
        case greeting
        /// HELO or EHLO.
        case hello
        case startTLS
        /// The client's side of the TLS handshake has begun.
        case tlsHandshake
        /// AUTH, once the credentials are known.
        case authentication
        case sender
        case recipient
        /// The DATA command.
        case data
        /// Within the text of the message, after `Rule.octets`.
        case messageText
        /// The final dot.
        case messageEnd
        case reset
        case noop
        case quit
    }

    /// What happens there.
    package enum Fault: Sendable, Equatable {
        /// This reply instead of the usual one; the step is not taken. 421 also closes the connection.
        case reply(SMTPReply)
        /// No reply, and nothing read any more, until the client or the server's end closes the connection.
        case hang
        /// The connection is reset.
        case drop
        /// At `messageEnd`: the message is kept, then the connection is reset without a reply. Elsewhere as `drop`.
        case keepAndDrop
    }

    /// One fault at one step.
    package struct Rule: Sendable, Equatable {
        /// Where.
        package var step: Step
        /// What.
        package var fault: Fault
        /// How many times the step is left alone first.
        package var passes: Int
        /// How many times the fault then happens; nil for always.
        package var times: Int?
        /// At `recipient`: only for this address (compared without case).
        package var recipient: String?
        /// At `messageText`: after how many octets; a shorter message meets the fault at its end.
        package var octets: Int

        /// A rule.
        ///
        /// - Parameters:
        ///   - step: Where.
        ///   - fault: What.
        ///   - passes: How many times the step is left alone first.
        ///   - times: How many times the fault then happens; nil for always.
        ///   - recipient: At `recipient`: only for this address.
        ///   - octets: At `messageText`: after how many octets.
        package init(
            at step: Step,
            _ fault: Fault,
            passes: Int = 0,
            times: Int? = nil,
            recipient: String? = nil,
            octets: Int = 0
        ) {
            self.step = step
            self.fault = fault
            self.passes = passes
            self.times = times
            self.recipient = recipient
            self.octets = max(0, octets)
        }
    }

    /// Asks for the rule that applies, and counts it.
    ///
    /// - Parameters:
    ///   - step: Where the session is.
    ///   - recipient: At `recipient`: the address.
    /// - Returns: The rule that applies now, if any.
    package mutating func rule(at step: Step, recipient: String? = nil) -> Rule? {
        for index in rules.indices {
            let rule = rules[index]
            guard rule.step == step, rule.times.map({ $0 > 0 }) ?? true else { continue }
            guard rule.recipient == nil || rule.recipient?.lowercased() == recipient?.lowercased() else { continue }
            guard rule.passes <= 0 else {
                rules[index].passes = rule.passes - 1
                continue
            }
            if let times = rule.times { rules[index].times = times - 1 }
            return rule
        }
        return nil
    }
}
