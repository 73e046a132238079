import Database
import Foundation
import JSON
import Server
import Testing

/// The calls by which a guest can be merged into an account.
enum MergePath: String, CaseIterable, Sendable {
    case link, code, approval, call

    /// Merges a guest into the account of an address; `account` is a session of it.
    ///
    /// - Parameter onConflict: what the sign-in asks for; `accounts:merge` always merges.
    /// - Returns: the call that merged, for repetitions, and its answer.
    func merge(
        _ guest: Tokens,
        into account: Tokens,
        _ email: String,
        _ server: TestServer,
        onConflict: JSONValue = "merge"
    ) throws -> (call: String, body: JSONValue, answer: Answer) {
        let call: String
        let body: JSONValue
        switch self {
        case .link:
            let asked = try server.askForLink(email)
            call = "accounts:signInWithEmailLink"
            body = [
                "email": .string(email), "oobCode": .string(asked.oobCode), "idToken": .string(guest.idToken),
                "onConflict": onConflict,
            ]
        case .code:
            let asked = try server.askForLink(email, idToken: guest.idToken)
            try server.waitUntilMailsAreFinished()
            call = "accounts:signInWithTicket"
            body = ["ticket": .string(asked.ticket), "code": .string(asked.mail.digits), "onConflict": onConflict]
        case .approval:
            let asked = try server.askForLink(email, idToken: guest.idToken)
            call = "accounts:signInWithTicket"
            body = ["ticket": .string(asked.ticket), "onConflict": onConflict]
            #expect(try server.call(call, body).code == "TICKET_PENDING")
            let page = try server.open(asked.mail.link)
            #expect(page.text.contains("already has an account"), "the page says what it will lead to")
            let approved = try server.answerLink(asked.oobCode, "approve", "&confirmation=\(asked.confirmation)")
            #expect(approved.status == 200)
        case .call:
            call = "accounts:merge"
            body = ["idToken": .string(account.idToken), "anonymousIdToken": .string(guest.idToken)]
        }
        return (call, body, try server.call(call, body))
    }

    /// The report in an answer.
    func report(_ answer: Answer) -> JSONValue? { answer.json[self == .call ? "report" : "mergeReport"] }
}

extension TestServer {
    /// Returns a user's documents by `collection/id`.
    func allDocuments(_ idToken: String) throws -> [String: JSONValue] {
        let answer = try document("GET", "?pageSize=1000", idToken)
        #expect(answer.status == 200, "\(answer.text)")
        return (answer.json["documents"]?.array ?? []).reduce(into: [:]) { documents, document in
            documents["\(document["collection"]?.string ?? "")/\(document["id"]?.string ?? "")"] = document["document"]
        }
    }
}
