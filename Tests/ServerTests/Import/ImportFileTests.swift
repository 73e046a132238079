import Accounts
import Foundation
import JSON
import PostgreSQLHarness
import Testing

@testable import Server

/// `latchkey import firebase` and `latchkey export`, without their command line.
@Suite("Imports and exports of files")
struct ImportFileTests {
    /// Runs a body as an operator on a new database.
    private static func desk(_ body: (Operator) throws -> Void) throws {
        try TestServer.inFolder { folder in
            let database = try TestDatabase(in: folder.path)
            defer { withExtendedLifetime(database) {} }
            let environment = ["LATCHKEY_DATABASE": database.url, "LATCHKEY_SECRET": TestServer.secret]
            let desk = try Operator(file: nil, environment: environment, makesDatabase: true)
            defer { desk.close() }
            try body(desk)
        }
    }

    /// Imports a text in pieces of a given size.
    @discardableResult
    private static func take(
        _ text: String,
        _ desk: Operator,
        replaces: Bool = false,
        takesGuests: Bool = true,
        pieces: Int = 1000
    ) throws -> ImportReport {
        var rest = Array(text.utf8)[...]
        return try desk.importUsers(replaces: replaces, takesGuests: takesGuests) {
            defer { rest = rest.dropFirst(pieces) }
            return Array(rest.prefix(pieces))
        } progress: { _ in
        }
    }

    private static func export(_ desk: Operator) throws -> String {
        var bytes: [UInt8] = []
        _ = try desk.exportUsers(write: { bytes += $0 }, progress: { _ in })
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A file as the Firebase CLI writes it.
    private static let firebase = """
        {"users": [
        {
          "localId": "anna",
          "email": "anna@example.com",
          "emailVerified": true,
          "passwordHash": "aGFzaA==",
          "salt": "c2FsdA==",
          "displayName": "Anna",
          "photoUrl": "https://p.example/a",
          "lastSignedInAt": "1600000000000",
          "createdAt": "1500000000000",
          "customAttributes": "{\\"admin\\":true}",
          "providerUserInfo": [{"providerId": "google.com", "rawId": "g1", "email": "a@gmail.com", "displayName": "A"}]
        },
            {
          "localId": "bert",
          "email": "bert@example.com",
          "emailVerified": true,
          "lastSignedInAt": "1600000000000",
          "createdAt": "1500000000000",
          "providerUserInfo": []
        },
            {
          "localId": "guest",
          "lastSignedInAt": "1600000000000",
          "createdAt": "1500000000000",
          "providerUserInfo": []
        },
            {
          "localId": "tel",
          "phoneNumber": "+491234",
          "disabled": true,
          "createdAt": "1500000000000",
          "lastSignedInAt": "1600000000000",
          "mfaInfo": [{"mfaEnrollmentId": "x"}],
          "providerUserInfo": [{"providerId": "phone", "phoneNumber": "+491234"}]
        }]}
        """

    @Test func `an export of Firebase is imported, and the report says what was left behind`() throws {
        try Self.desk { desk throws in
            for pieces in [1, 7, 100_000] {
                let report = try Self.take(Self.firebase, desk, pieces: pieces)
                #expect(report.read == 4 && report.refused.isEmpty && report.stopped == nil)
                // The first run creates the users; the second changes nothing.
                #expect((report.created, report.kept) == (pieces == 1 ? (4, 0) : (0, 4)))
                guard pieces == 1 else { continue }
                #expect(report.guests == 1 && report.withoutWayIn == 1)
                #expect(report.dropped.map(\.what) == ["password", "phoneNumber", "secondFactor"])
                #expect(report.dropped.map(\.users) == [1, 1, 1])
            }
            let users = try desk.users(after: nil, limit: 9).items
            #expect(users.map(\.uid) == ["anna", "bert", "guest", "tel"])
            #expect(users.map(\.isAnonymous) == [false, false, true, false])
            #expect(users.map(\.isDisabled) == [false, false, false, true])
            #expect(users.allSatisfy { !$0.isAdministrator })
            #expect(try desk.user("anna").providers == ["emailLink", "google.com"])
            #expect(try desk.user("bert").providers == ["emailLink"], "an address is all that they had to sign in with")
            #expect(users.first?.createdAt == "2017-07-14T02:40:00.000Z")
        }
    }

    @Test func `users without a credential are permanent where asked for`() throws {
        try Self.desk { desk throws in
            #expect(try Self.take(Self.firebase, desk, takesGuests: false).guests == 0)
            #expect(try !desk.user("guest").isAnonymous)
        }
    }

    @Test func `what is exported can be imported elsewhere, and is the same there`() throws {
        try Self.desk { first throws in
            try Self.take(Self.firebase, first)
            let text = try Self.export(first)
            #expect(try JSONValue.parse(text)["users"]?.array?.count == 4)
            try Self.desk { second throws in
                #expect(try Self.take(text, second).created == 4)
                #expect(try Self.export(second) == text)
            }
        }
        try Self.desk { empty throws in
            let text = try Self.export(empty)
            #expect(try JSONValue.parse(text) == ["users": []])
            #expect(try Self.take(text, empty).stopped == nil)
        }
    }

    @Test func `an export has no keys but those that Firebase's own import knows`() throws {
        let known: Set<String> = [
            "localId", "email", "emailVerified", "passwordHash", "salt", "displayName", "photoUrl", "createdAt",
            "lastSignedInAt", "providerUserInfo", "phoneNumber", "disabled", "customAttributes",
        ]
        let provider: Set<String> = ["providerId", "rawId", "email", "displayName", "photoUrl"]
        try Self.desk { desk throws in
            try Self.take(Self.firebase, desk)
            for user in try JSONValue.parse(Self.export(desk))["users"]?.array ?? [] {
                let names = Set(user.object?.members.map(\.name) ?? [])
                #expect(names.isSubset(of: known))
                #expect(user["createdAt"]?.string != nil && user["lastSignedInAt"]?.string != nil)
                for row in user["providerUserInfo"]?.array ?? [] {
                    let names = Set(row.object?.members.map(\.name) ?? [])
                    #expect(names.isSubset(of: provider))
                }
            }
        }
    }

    @Test func `the pages of an export are in order and miss no user`() throws {
        try Self.desk { desk throws in
            let uids = (0..<2500).map { "u\($0)" }
            let list = uids.map { #"{"localId":"\#($0)"}"# }.joined(separator: ",")
            #expect(try Self.take(#"{"users":[\#(list)]}"#, desk).created == 2500)
            let exported = try JSONValue.parse(Self.export(desk))["users"]?.array?.compactMap { $0["localId"]?.string }
            #expect(exported == uids.sorted())
        }
    }

    @Test func `rows of every bad shape are reported, and hide no others`() throws {
        let rows = [
            "1", "null", "[]", #""x""#, "{}", #"{"localId":1}"#, #"{"localId":"a\u0000b"}"#,
            #"{"localId":"a","localId":"b"}"#, #"{"localId":"a","email":["x"]}"#, #"{"localId":"a","disabled":"yes"}"#,
            #"{"localId":"a","providerUserInfo":{}}"#, #"{"localId":"a","providerUserInfo":[1]}"#,
            #"{"localId":"a","providerUserInfo":[{"providerId":"google.com"}]}"#,
            #"{"localId":"a","customAttributes":{"admin":true}}"#, #"{"localId":"a","customAttributes":"{"}"#,
            #"{"localId":"a","customAttributes":"{\"sub\":\"x\"}"}"#, #"{"localId":"a","email":"@"}"#,
            "{\"localId\":\"\u{1}\"}", "{\"localId\":\"a\",}", "{\"localId\":tru}",
            "[[[[\(String(repeating: "[", count: 40))"
                + String(repeating: "]", count: 44),
        ]
        try Self.desk { desk throws in
            let text = #"{"users":[{"localId":"first"},\#(rows.joined(separator: ",")),{"localId":"last"}]}"#
            let report = try Self.take(text, desk)
            #expect(report.stopped == nil && report.created == 2)
            #expect(report.refusals == rows.count && report.read == rows.count + 2)
            #expect(report.refused.allSatisfy { $0.examples.count <= 5 && !$0.examples.isEmpty })
            #expect(report.refused.first { $0.reason == "it is not an object" }?.examples.first == "user 2")
            #expect(try desk.users(after: nil, limit: 9).items.map(\.uid) == ["first", "last"])
        }
    }

    @Test func `a file that is cut keeps what comes before, and says where it ends`() throws {
        let uids = (100..<700).map { "u\($0)" }
        let text = #"{"users":["# + uids.map { #"{"localId":"\#($0)"}"# }.joined(separator: ",\n") + "]}"
        let cut = 11 + 350 * 20 - 4
        try Self.desk { desk throws in
            let report = try Self.take(String(text.prefix(cut)), desk)
            let stopped = try #require(report.stopped)
            let expected = report.created
            #expect(
                stopped.users == expected
                    && stopped.reason == "the file ends inside user \(expected + 1), at byte \(cut)"
            )
            #expect(try desk.users(after: nil, limit: 1000).items.map(\.uid) == Array(uids.prefix(expected)))
            // A later import of the whole file only adds the rest.
            let again = try Self.take(text, desk)
            #expect(again.stopped == nil && again.kept == expected && again.created == uids.count - expected)
        }
    }

    @Test(arguments: [
        ("", "the file is empty"), ("  \n", "the file is empty"), ("{}", "the file has no list of users"),
        (#"{"users":[{"localId":"a"} x"#, "the file is not JSON after user 1, at byte 26"),
        ("a,b", "the file ends inside line 1, which has no line break"),
    ])
    func `a file of another kind is told as such`(text: String, reason: String) throws {
        try Self.desk { desk throws in
            #expect(try Self.take(text, desk).stopped?.reason == reason)
        }
    }

    @Test func `a user that never ends does not fill the memory`() throws {
        try Self.desk { desk throws in
            let text = #"{"users":[{"localId":"a"},{"localId":""# + String(repeating: "x", count: 2 << 20)
            let report = try Self.take(text, desk, pieces: 65536)
            #expect(report.created == 1)
            #expect(report.stopped?.reason == "user 2, at byte 26, is too long for a user")
        }
    }

    @Test func `CSV is imported as well`() throws {
        func line(_ fields: [Int: String]) -> String {
            (0..<28).map { fields[$0] ?? "" }.joined(separator: ",") + ",\n"
        }
        let text =
            line([0: "u1", 1: "a@b.c", 2: "true", 3: "aGFzaA==", 5: "\"A, B\"", 7: "g1", 23: "1500000000000"])
            + "nonsense\n" + line([0: "u2", 23: "1500000000000", 24: "1600000000000"]) + "u3,cut"
        try Self.desk { desk throws in
            let report = try Self.take(text, desk, pieces: 11)
            #expect(report.created == 2 && report.guests == 1 && report.refusals == 1)
            #expect(report.refused.first?.examples == ["line 2"])
            #expect(report.stopped?.reason == "the file ends inside line 4, which has no line break")
            #expect(try desk.user("u1").displayName == "A, B")
            #expect(try desk.user("u1").providers == ["emailLink", "google.com"])
        }
    }

    @Test func `replacing brings in what changed elsewhere`() throws {
        try Self.desk { desk throws in
            try Self.take(Self.firebase, desk)
            try desk.eraseUser("bert")
            let changed = Self.firebase.replacing("\"Anna\"", with: "\"Ann\"")
            let kept = try Self.take(changed, desk)
            #expect(kept.kept == 3 && kept.gone == 1)
            #expect(try desk.user("anna").displayName == "Anna")
            let replaced = try Self.take(changed, desk, replaces: true)
            #expect(replaced.replaced == 3 && replaced.created == 1)
            #expect(try desk.user("anna").displayName == "Ann")
            #expect(try desk.user("guest").isAnonymous)
        }
    }

    @Test func `transactions grow and shrink with what they take`() {
        var pace = ImportPace()
        let first = pace.size
        pace.record(.milliseconds(1), for: first)
        #expect(pace.size == first * 2, "no more than twice as many as were tried")
        for _ in 0..<9 { pace.record(.milliseconds(1), for: pace.size) }
        #expect(pace.size == 2048)
        pace.record(.milliseconds(200), for: 2048)
        #expect(pace.size == 102, "10 ms of what took 200")
        pace.record(.seconds(60), for: 102)
        #expect(pace.size == 16)
        pace.record(.zero, for: 0)
        #expect(pace.size == 16)
    }
}
