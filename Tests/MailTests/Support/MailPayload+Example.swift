import Accounts
import Mail

extension MailPayload {
    /// Makes an e-mail with ordinary values for everything that its kind shows.
    static func example(
        _ kind: MailKind,
        to: String = "you@example.org",
        locale: String = "en",
        values: [MailPlaceholder: String] = [:],
        number: Int = 0
    ) -> MailPayload {
        let all: [MailPlaceholder: String] = [
            .link: "https://app.example.org/auth/action?mode=signIn&oobCode=SECRET\(number)", .code: "271828",
            .minutes: "15", .hours: "24", .days: "7", .device: "Firefox on Linux", .email: "you@example.org",
            .newEmail: "new@example.org", .account: "o***@example.org", .methods: "Google",
        ]
        return MailPayload(
            kind: kind,
            to: to,
            locale: locale,
            values: all.filter { kind.placeholders.contains($0.key) }.merging(values) { $1 },
            messageID: MessageID(mail: "mail-\(number)", proof: "proof").text(domain: "example.org"),
            queuedAt: 1_795_206_665_999
        )
    }
}
