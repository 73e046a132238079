/// The faults that the server should produce: a value that can be replaced while the server runs.
///
///     server.faults = .transient(451, at: .messageEnd, first: 2)
///     server.faults = .none
///
/// A plan is a list of rules (`FaultPlan([.init(at: .recipient, .reply(550), recipient: "gone@example.org")])`) and a
/// few switches. The static members make common plans. Rules that apply a limited number of times count down in the
/// plan itself, across all connections.
package struct FaultPlan: Sendable, Equatable {
    /// The rules, checked in order.
    ///
    /// The first that matches and is not used up applies.
    package var rules: [Rule]
    /// Whether the server stops listening on the port, so that the operating system refuses connections.
    package var refusesConnections = false
    /// How long the server pauses before every reply.
    package var replyDelay: Duration = .zero
    /// Whether STARTTLS is neither offered nor accepted.
    package var withholdsStartTLS = false

    /// Creates a plan from rules.
    ///
    /// - Parameter rules: the rules, checked in order.
    package init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    /// The step of a session at which a fault occurs.
    package enum Step: Sendable, Hashable, CaseIterable {
        /// The connection is open, and the greeting is next.
        case greeting
        /// HELO or EHLO.
        case hello
        case startTLS
        /// The TLS handshake is next: after STARTTLS, or with implicit TLS at the start of the connection.
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

    /// The kinds of faults.
    package enum Fault: Sendable, Equatable {
        /// Sends this reply instead of the usual one, without performing the step.
        ///
        /// 421 also closes the connection. At `tlsHandshake`, where no reply is possible, the connection is reset.
        case reply(SMTPReply)
        /// Sends no reply and reads no more, until the client closes the connection or the server stops.
        case hang
        /// Resets the connection.
        case drop
        /// At `messageEnd`, keeps the message, then resets the connection without a reply. Elsewhere the same as
        /// `drop`.
        case keepAndDrop
    }

    /// One fault at one step.
    package struct Rule: Sendable, Equatable {
        /// The step of the fault.
        package var step: Step
        /// The kind of fault.
        package var fault: Fault
        /// How many times the rule lets the step pass before the fault.
        package var passes: Int
        /// How many times the fault then occurs; nil for always.
        package var times: Int?
        /// At `recipient`: the only address affected, ignoring case; `nil` for all.
        package var recipient: String?
        /// At `messageText`: the number of octets before the fault.
        ///
        /// A shorter message meets the fault at its end.
        package var octets: Int

        /// Creates a rule.
        ///
        /// - Parameters:
        ///   - step: the step of the fault.
        ///   - fault: the kind of fault.
        ///   - passes: how many times the rule lets the step pass before the fault.
        ///   - times: how many times the fault then happens; nil for always.
        ///   - recipient: at `recipient`: only for this address.
        ///   - octets: at `messageText`: after how many octets.
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

    /// Returns the rule that applies, and counts its use.
    ///
    /// - Parameters:
    ///   - step: the session's current step.
    ///   - recipient: at `recipient`: the address.
    /// - Returns: the rule that applies now; nil if none does.
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
