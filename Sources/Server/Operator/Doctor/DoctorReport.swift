/// One line of `latchkey doctor`: what was checked, the result, and what to do about it.
package struct DoctorFinding: Sendable, Encodable, Equatable {
    package enum Status: String, Sendable, Encodable {
        case ok
        /// The server works, but the operator should know or change something.
        case warning
        /// Something does not work, or is not safe.
        case problem
    }

    /// A stable name for scripts, such as `smtp.login`.
    package let check: String
    package let status: Status
    /// What was found, in one or two sentences.
    package let message: String
    /// What to do about it; `nil` if nothing.
    package let advice: String?

    static func ok(_ check: String, _ message: String) -> Self {
        Self(check: check, status: .ok, message: message, advice: nil)
    }

    static func warning(_ check: String, _ message: String, _ advice: String) -> Self {
        Self(check: check, status: .warning, message: message, advice: advice)
    }

    static func problem(_ check: String, _ message: String, _ advice: String) -> Self {
        Self(check: check, status: .problem, message: message, advice: advice)
    }
}

/// The result of `latchkey doctor`.
package struct DoctorReport: Sendable, Encodable {
    package let findings: [DoctorFinding]
    package let problems: Int
    package let warnings: Int

    init(_ findings: [DoctorFinding]) {
        self.findings = findings
        problems = findings.count { $0.status == .problem }
        warnings = findings.count { $0.status == .warning }
    }
}
