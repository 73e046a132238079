import Testing

@testable import Database

@Suite("Payloads of node notifications")
struct NotificationPayloadTests {
    private static let all: [(news: NodeNotification, text: String)] = [
        (.user("a b'c\"ü"), "ua b'c\"ü"), (.mail, "m"), (.hooks, "h"), (.anything, "a"), (.ticket("Ab-_9"), "wAb-_9"),
        (.account("updated", uid: "a b"), "eupdated a b"),
    ]

    @Test func `each is read as it was written`() {
        for (news, text) in Self.all {
            #expect(news.text == text)
            #expect(NodeNotification(text: text) == news)
        }
    }

    @Test(arguments: ["", "x", "xyz", "t17", "mm", "hooks", "any", "eupdated"])
    func `a payload of another version, or of the channel's test, is ignored`(text: String) {
        #expect(NodeNotification(text: text) == nil)
    }

    /// They know `m`, `h`, `a` and what begins with `u`, and ignore all else.
    @Test func `nodes of earlier versions ignore the newer payloads`() {
        let known: [NodeNotification] = [.user("a b'c\"ü"), .mail, .hooks, .anything]
        for (news, text) in Self.all where !known.contains(news) {
            #expect(!["m", "h", "a"].contains(text) && !text.hasPrefix("u"))
        }
    }
}
