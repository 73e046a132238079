/// The plans that tests ask for by name.
extension FaultPlan {
    /// Nothing goes wrong.
    package static let none = FaultPlan()

    /// Connections are refused, as if no server ran.
    package static var refusingConnections: FaultPlan {
        var plan = FaultPlan()
        plan.refusesConnections = true
        return plan
    }

    /// The greeting is 421 and the connection ends.
    ///
    /// - Parameter count: For the first so many connections; nil for all.
    package static func unavailable(first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .greeting, .reply(SMTPReply(421, "4.3.2", "Service not available")), times: count)])
    }

    /// A 4xx reply for the first few times, then all is well.
    ///
    /// - Parameters:
    ///   - code: 400–499.
    ///   - step: Where.
    ///   - count: How many times; nil for always.
    package static func transient(_ code: Int = 451, at step: Step = .recipient, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: step, .reply(SMTPReply(code, "4.3.0", "Try again later")), times: count)])
    }

    /// A 5xx reply.
    ///
    /// - Parameters:
    ///   - code: 500–599.
    ///   - step: Where.
    ///   - recipient: Only for this address, at `recipient`.
    ///   - count: How many times; nil for always.
    package static func permanent(
        _ code: Int = 550,
        at step: Step = .recipient,
        recipient: String? = nil,
        first count: Int? = nil
    ) -> FaultPlan {
        let reply = SMTPReply(code, "5.1.1", "Not taken")
        return FaultPlan([Rule(at: step, .reply(reply), times: count, recipient: recipient)])
    }

    /// The server falls silent.
    ///
    /// - Parameters:
    ///   - step: Where.
    ///   - count: How many times; nil for always.
    package static func hanging(at step: Step, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: step, .hang, times: count)])
    }

    /// The connection is reset at a step.
    ///
    /// - Parameters:
    ///   - step: Where.
    ///   - count: How many times; nil for always.
    package static func dropping(at step: Step, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: step, .drop, times: count)])
    }

    /// The connection is reset in the middle of a message's text.
    ///
    /// - Parameters:
    ///   - octets: After how many octets of text.
    ///   - count: How many times; nil for always.
    package static func droppingMidData(after octets: Int = 64, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .messageText, .drop, times: count, octets: octets)])
    }

    /// The connection is reset after the final dot, before any reply: the client cannot know the outcome.
    ///
    /// - Parameters:
    ///   - kept: Whether the message was taken nevertheless.
    ///   - count: How many times; nil for always.
    package static func droppingAfterData(kept: Bool, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .messageEnd, kept ? .keepAndDrop : .drop, times: count)])
    }

    /// A pause before every reply.
    ///
    /// - Parameter delay: How long.
    package static func slow(_ delay: Duration) -> FaultPlan {
        var plan = FaultPlan()
        plan.replyDelay = delay
        return plan
    }

    /// STARTTLS is neither offered nor taken.
    package static var withoutStartTLS: FaultPlan {
        var plan = FaultPlan()
        plan.withholdsStartTLS = true
        return plan
    }

    /// Right credentials are answered as wrong ones.
    ///
    /// - Parameter count: How many times; nil for always.
    package static func refusingAuthentication(first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .authentication, .reply(.authFailed), times: count)])
    }
}
