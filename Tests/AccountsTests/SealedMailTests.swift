import Accounts
import Foundation
import Testing
import Tokens

/// E-mails in the queue while nodes are upgraded one by one.
@Suite("Queued mails of nodes of other versions") struct SealedMailTests {
    /// The members that every version stores, as a version that knows no time zones decodes them.
    private struct FormerMail: Codable, Equatable {
        var id = "AAAAAAAAAAAAAAAAAAAAAA"
        var kind = MailKind.emailInUse
        var to = "you@example.com"
        var locale = "de"
        var device = "Firefox · Linux"
        var queuedAt: Int64 = 1_795_206_665_999
    }

    private static let mail = QueuedMail(
        id: FormerMail().id,
        kind: .emailInUse,
        to: "you@example.com",
        locale: "de",
        timeZone: "Europe/Rome",
        device: "Firefox · Linux",
        queuedAt: 1_795_206_665_999
    )

    @Test func `a mail keeps its time zone in the queue`() throws {
        let flows = AccountFlows(
            policy: Policy(),
            secrets: try ServerSecrets(text: "0123456789abcdef0123456789abcdef")
        )
        #expect(try flows.open(flows.seal(Self.mail), mail: Self.mail.id) == Self.mail)
    }

    @Test func `a node that knows no time zones reads the mail, and its own mails have none`() throws {
        let stored = try JSONEncoder().encode(Self.mail)
        #expect(try JSONDecoder().decode(FormerMail.self, from: stored) == FormerMail())
        let former = try JSONDecoder().decode(QueuedMail.self, from: JSONEncoder().encode(FormerMail()))
        #expect(former.timeZone == nil)
        #expect(former.locale == "de")
    }
}
