import Accounts
import Testing

@Suite("Lists of addresses")
struct AddressListsTests {
    @Test(arguments: [
        ("eve@example.com", true), ("eve+1@example.com", true), ("e.ve@gmail.com", true),
        ("ev.e+2@googlemail.com", true),
        ("evelyn@example.com", false), ("x@trash.example", true), ("x@deep.trash.example", false),
        ("x@a.bin.example", true), ("x@b.a.bin.example", true), ("x@bin.example", false),
        ("x@xn--bcher-kva.example", true),
        ("x@nottrash.example", false),
    ])
    func `a list blocks mailboxes, domains, and subdomains`(address: String, isBlocked: Bool) {
        var lists = AddressLists()
        for entry in ["Eve@Example.com", "eve@gmail.com", "trash.EXAMPLE", "*.bin.example", "bücher.example"] {
            let isEntry = lists.block(entry)
            #expect(isEntry, "\(entry)")
        }
        #expect((lists.objection(to: address) == .blocked) == isBlocked)
    }

    @Test(arguments: ["", "@", "a@", "@b.c", "ex ample.com", "*.", "*", "192.0.2.1", "a@b@c.d", "-x.example"])
    func `what is no address and no domain is no entry`(entry: String) {
        var lists = AddressLists()
        let isEntry = lists.block(entry)
        #expect(!isEntry)
    }

    @Test func `an allow list admits its domains only, and a block counts among them`() {
        var lists = AddressLists(), domains = AddressLists.Domains()
        #expect(lists.objection(to: "x@any.example") == nil)
        let isEntry =
            domains.add("school.example") && domains.add("*.school.example") && lists.block("eve@school.example")
        #expect(isEntry)
        lists.allowedDomains = domains
        #expect(lists.objection(to: "ann@school.example") == nil)
        #expect(lists.objection(to: "ann@lab.school.example") == nil)
        #expect(lists.objection(to: "eve@school.example") == .blocked)
        #expect(lists.objection(to: "ann@myschool.example") == .notAllowed)
        lists.allowedDomains = AddressLists.Domains()
        #expect(lists.objection(to: "ann@school.example") == .notAllowed, "an empty list admits nobody")
    }
}
