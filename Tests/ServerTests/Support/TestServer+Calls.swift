import Foundation
import JSON
import SMTPHarness
import Testing

extension TestServer {
    /// Sends one request and reads its answer.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - target: path and query.
    ///   - headers: lines such as `Origin: https://app.example.com`; a Host is added if there is none.
    ///   - body: sent with its length.
    ///   - source: the loopback address of the client.
    func send(
        _ method: String,
        _ target: String,
        headers: [String] = [],
        body: [UInt8] = [],
        from source: String? = nil
    ) throws -> Answer {
        let connection = try HTTPConnection(port: port, from: source)
        try connection.send(Self.request(method, target, headers: headers, body: body))
        return try connection.answer(toHead: method == "HEAD")
    }

    /// Returns the bytes of a request.
    static func request(_ method: String, _ target: String, headers: [String], body: [UInt8]) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1"] + headers
        if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: localhost") }
        if !body.isEmpty || method == "POST" { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Calls the API with an API key.
    func call(_ name: String, _ body: JSONValue = [:], headers: [String] = [], from source: String? = nil) throws
        -> Answer
    {
        try call(name, bytes: body.serialized(), headers: headers, from: source)
    }

    /// Calls the API with a body that need not be JSON.
    ///
    /// If a code's e-mail has arrived before the server has recorded that, the call is repeated, as LatchkeyClient
    /// does.
    func call(_ name: String, bytes: [UInt8], headers: [String] = [], from source: String? = nil) throws -> Answer {
        var answer = try callOnce(name, bytes: bytes, headers: headers, from: source)
        for _ in 0..<2000 where answer.isMailPending {
            usleep(10_000)
            answer = try callOnce(name, bytes: bytes, headers: headers, from: source)
        }
        return answer
    }

    /// Calls the API once, whatever the answer.
    func callOnce(_ name: String, bytes: [UInt8], headers: [String] = [], from source: String? = nil) throws -> Answer {
        try send(
            "POST",
            "/v1/\(name)?key=k",
            headers: ["Content-Type: application/json"] + headers,
            body: bytes,
            from: source
        )
    }

    /// Sends several calls at once, each on a separate connection.
    func callAtOnce(_ calls: [(name: String, body: JSONValue)], headers: [String] = []) throws -> [Answer] {
        let connections = try calls.map { call in
            let connection = try HTTPConnection(port: port)
            let bytes = Self.request("POST", "/v1/\(call.name)?key=k", headers: headers, body: call.body.serialized())
            return (connection, bytes)
        }
        for (connection, bytes) in connections { try connection.send(bytes) }
        return try connections.map { try $0.0.answer() }
    }

    /// Calls `/v1/token` with a form.
    func refresh(_ token: String, headers: [String] = []) throws -> Answer {
        try send(
            "POST",
            "/v1/token?key=k",
            headers: ["Content-Type: application/x-www-form-urlencoded"] + headers,
            body: Array("grant_type=refresh_token&refresh_token=\(token)".utf8)
        )
    }

    // MARK: Common first steps

    /// Signs up an anonymous user.
    func guest(headers: [String] = [], from source: String? = nil) throws -> Tokens {
        try Tokens(call("accounts:signUp", headers: headers, from: source))
    }

    /// Requests a sign-in e-mail and waits for it.
    func askForLink(
        _ email: String,
        idToken: String? = nil,
        continueURL: String? = nil,
        headers: [String] = [],
        from source: String? = nil
    ) throws -> Asked {
        var members = JSONObject()
        members.append("requestType", "EMAIL_SIGNIN")
        members.append("email", .string(email))
        if let idToken { members.append("idToken", .string(idToken)) }
        if let continueURL { members.append("continueUrl", .string(continueURL)) }
        let known = try messages().count
        let answer = try call("accounts:sendOobCode", .object(members), headers: headers, from: source)
        #expect(answer.status == 200, "\(answer.text)")
        return Asked(
            ticket: answer["ticket"],
            confirmation: answer["confirmation"],
            requestID: answer["requestId"],
            mail: try message(after: known)
        )
    }

    /// Redeems a sign-in link's code.
    func redeem(
        _ oobCode: String,
        _ email: String,
        idToken: String? = nil,
        headers: [String] = [],
        from source: String? = nil
    ) throws -> Answer {
        var members = JSONObject()
        members.append("email", .string(email))
        members.append("oobCode", .string(oobCode))
        if let idToken { members.append("idToken", .string(idToken)) }
        return try call("accounts:signInWithEmailLink", .object(members), headers: headers, from: source)
    }

    /// Signs in to an address as its owner would.
    func signIn(_ email: String, headers: [String] = [], from source: String? = nil) throws -> Tokens {
        try Tokens(redeem(try askForLink(email, from: source).oobCode, email, headers: headers, from: source))
    }

    /// Redeems a ticket: collects an approval, or uses a sign-in code.
    func redeemTicket(_ ticket: String, code: String? = nil) throws -> Answer {
        guard let code else { return try call("accounts:signInWithTicket", ["ticket": .string(ticket)]) }
        return try call("accounts:signInWithTicket", ["ticket": .string(ticket), "code": .string(code)])
    }

    /// Describes the request of a sign-in link.
    func queryLink(_ oobCode: String, headers: [String] = [], from source: String? = nil) throws -> Answer {
        try call("accounts:querySignInLink", ["oobCode": .string(oobCode)], headers: headers, from: source)
    }

    /// Denies the request of a sign-in link by the call.
    func denyLink(_ oobCode: String, headers: [String] = [], from source: String? = nil) throws -> Answer {
        try call("accounts:denySignInLink", ["oobCode": .string(oobCode)], headers: headers, from: source)
    }

    /// Looks up the user of an ID token.
    func lookup(_ idToken: String) throws -> Answer {
        try call("accounts:lookup", ["idToken": .string(idToken)])
    }

    /// Returns the user object of an ID token.
    func user(_ idToken: String) throws -> JSONValue {
        let answer = try lookup(idToken)
        return try #require(answer.json["users"]?.array?.first, "\(answer.text)")
    }

    /// Sends the form of a link's page.
    func answerLink(_ oobCode: String, _ action: String, _ fields: String = "", headers: [String] = []) throws -> Answer
    {
        try send(
            "POST",
            "/auth/action",
            headers: ["Content-Type: application/x-www-form-urlencoded"] + headers,
            body: Array("oobCode=\(oobCode)&lang=en&action=\(action)\(fields)".utf8)
        )
    }

    /// Opens a link as a browser would.
    func open(_ link: String, method: String = "GET", headers: [String] = []) throws -> Answer {
        let target = link.range(of: "/auth/action").map { String(link[$0.lowerBound...]) } ?? link
        return try send(method, target, headers: headers)
    }

    /// Waits until a condition holds.
    ///
    /// A condition that never holds is an issue of the caller's line, because the thread of a server's test does not know
    /// the test's name.
    func eventually(
        _ what: String,
        at location: SourceLocation = #_sourceLocation,
        _ condition: () throws -> Bool
    ) throws {
        for _ in 0..<2000 {
            if try condition() { return }
            usleep(10_000)
        }
        Issue.record("\(what) never came true", sourceLocation: location)
    }
}

/// The answer to a sign-in.
struct Tokens {
    let uid: String
    let idToken: String
    let refreshToken: String
    let answer: Answer

    init(_ answer: Answer) throws {
        try #require(answer.status == 200, "\(answer.text)")
        uid = answer["localId"]
        idToken = answer["idToken"]
        refreshToken = answer["refreshToken"]
        self.answer = answer
    }
}

/// The result of a request for a sign-in e-mail.
struct Asked {
    let ticket: String
    let confirmation: String
    /// The request's public id.
    let requestID: String
    let mail: Mail

    var oobCode: String { mail.oobCode }
    /// Three digits other than those that the asking device shows.
    var wrongConfirmation: String { confirmation == "111" ? "222" : "111" }
    /// Eight digits other than those in the e-mail.
    var wrongCode: String { mail.digits == "11111111" ? "22222222" : "11111111" }
}

/// An e-mail as the mailbox shows it.
struct Mail {
    let to: String
    let subject: String
    let text: String
    let links: [String]
    let raw: String

    /// The link that the e-mail is about.
    var link: String { links.first { $0.contains("/auth/action?") } ?? "" }

    /// Returns a parameter of the link, without decoding it.
    func parameter(_ name: String) -> String {
        let query = link.split(separator: "?", maxSplits: 1).last ?? ""
        for pair in query.split(separator: "&") where pair.hasPrefix("\(name)=") {
            return String(pair.dropFirst(name.count + 1))
        }
        return ""
    }

    var oobCode: String { parameter("oobCode") }

    /// The digits in two groups of four, as people read them.
    var shownDigits: String { "\(digits.prefix(4)) \(digits.suffix(4))" }

    /// The eight digits without the space; they are alone on their line.
    var digits: String {
        text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
            .first { $0.count == 8 && $0.allSatisfy(\.isNumber) } ?? ""
    }
}

extension TestServer {
    /// Returns the e-mails in the mailbox, the oldest first, except for notices of added and removed sign-in methods.
    ///
    /// Those notices arrive while a test requests other e-mails.
    func messages() throws -> [Mail] {
        try allMessages().filter { $0.parameter("mode") != "revertMethodChange" }
    }

    /// Returns the e-mails in the mailbox, the oldest first.
    func allMessages() throws -> [Mail] {
        if let smtp {
            return smtp.messages.map { message in
                let parsed = message.parsed
                return Mail(
                    to: message.recipients.first ?? "",
                    subject: parsed.subject,
                    text: parsed.text ?? "",
                    links: parsed.links,
                    raw: String(decoding: message.raw, as: UTF8.self)
                )
            }
        }
        let answer = try send("GET", "/mailbox/messages")
        return (answer.json["messages"]?.array ?? []).reversed().map { message in
            Mail(
                to: message["to"]?.array?.first?.string ?? "",
                subject: message["subject"]?.string ?? "",
                text: message["text"]?.string ?? "",
                links: message["links"]?.array?.compactMap(\.string) ?? [],
                raw: ""
            )
        }
    }

    /// Waits for the next e-mail after this many, ignoring notices of added and removed sign-in methods.
    func message(after known: Int) throws -> Mail {
        try wait(for: known) { try messages() }
    }

    /// Waits for the next e-mail after this many.
    func anyMessage(after known: Int) throws -> Mail {
        try wait(for: known) { try allMessages() }
    }

    private func wait(for known: Int, _ list: () throws -> [Mail]) throws -> Mail {
        for _ in 0..<6000 {
            let messages = try list()
            if messages.count > known { return messages[known] }
            usleep(5_000)
        }
        throw HTTPConnection.Broken(description: "no mail came")
    }
}
