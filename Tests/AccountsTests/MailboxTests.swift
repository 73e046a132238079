import Testing

@testable import Accounts

@Suite("Mailboxes")
struct MailboxTests {
    @Test(arguments: [
        ("ann@example.com", "ann@example.com"),
        ("ANN@Example.COM", "ann@example.com"),
        ("ann+shop@example.com", "ann@example.com"),
        ("ann+a+b@example.com", "ann@example.com"),
        ("a.n.n@example.com", "a.n.n@example.com"),
        ("a.n.n+x@gmail.com", "ann@gmail.com"),
        ("ann@googlemail.com", "ann@gmail.com"),
        ("A.nn+1.2@GoogleMail.com", "ann@gmail.com"),
        ("a.n.n@mail.gmail.com", "a.n.n@mail.gmail.com"),
        ("+ann@example.com", "+ann@example.com"),
        ("ann-x@example.com", "ann-x@example.com"),
        ("\u{c4}nn+x@xn--bcher-kva.example", "\u{e4}nn@xn--bcher-kva.example"),
    ])
    func `addresses of one mailbox fold to one form`(address: String, mailbox: String) {
        #expect(Mailbox.folded(address) == mailbox)
        #expect(Mailbox.folded(mailbox) == mailbox, "folding twice changes nothing")
    }
}
