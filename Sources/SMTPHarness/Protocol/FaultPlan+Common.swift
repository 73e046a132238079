/// Common plans for tests.
extension FaultPlan {
    /// No faults.
    package static let none = FaultPlan()

    /// Connections are refused, as if no server ran.
    package static var refusingConnections: FaultPlan {
        var plan = FaultPlan()
        plan.refusesConnections = true
        return plan
    }

    /// The greeting is 421 and the connection ends.
    ///
    /// - Parameter count: the number of connections that fail, from the first; nil for all.
    /// - Returns: the plan.
    package static func unavailable(first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .greeting, .reply(SMTPReply(421, "4.3.2", "Service not available")), times: count)])
    }

    /// A step gets a 4xx reply for the first few times, and succeeds then.
    ///
    /// - Parameters:
    ///   - code: 400–499.
    ///   - step: the step of the fault.
    ///   - count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func transient(_ code: Int = 451, at step: Step = .recipient, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: step, .reply(SMTPReply(code, "4.3.0", "Try again later")), times: count)])
    }

    /// A step gets a 5xx reply.
    ///
    /// - Parameters:
    ///   - code: 500–599.
    ///   - enhanced: the enhanced status code.
    ///   - step: the step of the fault.
    ///   - recipient: only for this address, at `recipient`.
    ///   - count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func permanent(
        _ code: Int = 550,
        enhanced: String = "5.1.1",
        at step: Step = .recipient,
        recipient: String? = nil,
        first count: Int? = nil
    ) -> FaultPlan {
        let reply = SMTPReply(code, enhanced, "Not taken")
        return FaultPlan([Rule(at: step, .reply(reply), times: count, recipient: recipient)])
    }

    /// At a step, the server sends nothing more but keeps the connection open.
    ///
    /// - Parameters:
    ///   - step: the step of the fault.
    ///   - count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func hanging(at step: Step, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: step, .hang, times: count)])
    }

    /// The connection is reset at a step.
    ///
    /// - Parameters:
    ///   - step: the step of the fault.
    ///   - count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func dropping(at step: Step, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: step, .drop, times: count)])
    }

    /// The connection is reset in the middle of a message's text.
    ///
    /// - Parameters:
    ///   - octets: after how many octets of text.
    ///   - count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func droppingMidData(after octets: Int = 64, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .messageText, .drop, times: count, octets: octets)])
    }

    /// The connection is reset after the final dot, before any reply: the client cannot know the outcome.
    ///
    /// - Parameters:
    ///   - kept: whether the server keeps the message nevertheless.
    ///   - count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func droppingAfterData(kept: Bool, first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .messageEnd, kept ? .keepAndDrop : .drop, times: count)])
    }

    /// A pause before every reply.
    ///
    /// - Parameter delay: how long.
    /// - Returns: the plan.
    package static func slow(_ delay: Duration) -> FaultPlan {
        var plan = FaultPlan()
        plan.replyDelay = delay
        return plan
    }

    /// STARTTLS is neither offered nor accepted.
    package static var withoutStartTLS: FaultPlan {
        var plan = FaultPlan()
        plan.withholdsStartTLS = true
        return plan
    }

    /// Valid credentials are rejected as wrong.
    ///
    /// - Parameter count: how many times the fault occurs; nil for always.
    /// - Returns: the plan.
    package static func refusingAuthentication(first count: Int? = nil) -> FaultPlan {
        FaultPlan([Rule(at: .authentication, .reply(.authFailed), times: count)])
    }
}
