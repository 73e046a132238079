import Foundation
import JSON
import Testing

/// A browser without JavaScript: it keeps cookies, follows redirects on the server, and submits the forms of the page
/// that it shows.
final class AccountBrowser {
    let server: TestServer
    /// The cookies by their names, without attributes.
    var cookies: [String: String] = [:]
    /// The `Set-Cookie` fields of the last exchange, redirects included.
    private(set) var setCookies: [String] = []
    private(set) var page: Answer
    /// The `Origin` of forms: pages that send no referrer have `null`.
    var origin = "null"
    /// Sends requests in place of the server's main listener.
    var transport: ((_ method: String, _ target: String, _ headers: [String], _ body: [UInt8]) throws -> Answer)?
    /// The header fields of every request beside the cookies.
    var headers: [String] = ["User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"]

    init(_ server: TestServer) {
        self.server = server
        page = Answer(status: 0, headers: [], body: [])
    }

    private var cookieHeader: [String] {
        cookies.isEmpty
            ? [] : ["Cookie: " + cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; ")]
    }

    /// Opens a path or a URL of the server, as a link would.
    @discardableResult
    func open(_ target: String) throws -> Answer {
        setCookies = []
        return try follow(try send("GET", Self.path(target)))
    }

    /// Submits the form with an action on the shown page.
    ///
    /// - Parameters:
    ///   - action: the form's `action`.
    ///   - fields: the fields that the person fills in, and hidden ones to replace.
    ///   - index: which of the page's forms with this action.
    ///   - extra: more header fields.
    @discardableResult
    func submit(
        _ action: String,
        _ fields: [String: String] = [:],
        index: Int = 0,
        headers extra: [String] = []
    ) throws -> Answer {
        let forms = self.forms(action)
        try #require(forms.count > index, "no form \(action) in: \(page.text)")
        return try post(action, forms[index].merging(fields) { $1 }, headers: extra)
    }

    /// Sends a form, whether or not a page has it.
    @discardableResult
    func post(_ action: String, _ fields: [String: String], headers extra: [String] = []) throws -> Answer {
        setCookies = []
        let body = fields.sorted { $0.key < $1.key }.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        let type = ["Content-Type: application/x-www-form-urlencoded", "Origin: \(origin)"]
        return try follow(try send("POST", action, type + extra, Array(body.utf8)))
    }

    private func send(
        _ method: String,
        _ target: String,
        _ extra: [String] = [],
        _ body: [UInt8] = []
    ) throws -> Answer {
        let all = headers + extra + cookieHeader
        guard let transport else { return try server.send(method, target, headers: all, body: body) }
        return try transport(method, target, all, body)
    }

    /// The hidden fields of the shown page's forms with an action.
    func forms(_ action: String) -> [[String: String]] {
        page.text.components(separatedBy: "<form method=\"post\" action=\"\(action)\"").dropFirst().map { rest in
            let form = rest.components(separatedBy: "</form>")[0]
            var fields: [String: String] = [:]
            for input in form.components(separatedBy: "<input type=\"hidden\" name=\"").dropFirst() {
                let parts = input.components(separatedBy: "\"")
                if parts.count > 2 { fields[parts[0]] = parts[2].replacingOccurrences(of: "&amp;", with: "&") }
            }
            return fields
        }
    }

    /// Opens the page for the user of an ID token, as an app does.
    @discardableResult
    func enter(_ idToken: String) throws -> Answer {
        try open(try Self.url(for: idToken, on: server))
        return try submit("/account/open")
    }

    /// Gets a URL of the page for the user of an ID token.
    static func url(for idToken: String, on server: TestServer) throws -> String {
        let answer = try server.call("accounts:createAccountUrl", ["idToken": .string(idToken)])
        try #require(answer.status == 200, "\(answer.text)")
        return answer["url"]
    }

    /// Signs in with the code of an e-mail.
    @discardableResult
    func signIn(_ email: String) throws -> Answer {
        let known = try server.messages().count
        try open("/account")
        try submit("/account/sign-in", ["email": email])
        return try submitCode(of: try server.message(after: known))
    }

    /// Submits the code of an e-mail, again while the server has not recorded that the e-mail was sent.
    @discardableResult
    func submitCode(of mail: Mail) throws -> Answer {
        try server.settleMails()
        return try submit("/account/code", ["code": mail.shownDigits])
    }

    private func follow(_ answer: Answer) throws -> Answer {
        page = answer
        for field in answer.headers where field.name == "set-cookie" {
            setCookies.append(field.value)
            let pair = field.value.prefix { $0 != ";" }.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = String(pair[0])
            if field.value.contains("Max-Age=0") { cookies[name] = nil } else { cookies[name] = String(pair[1]) }
        }
        guard answer.status == 303, let location = answer.header("location") else { return answer }
        return try follow(try send("GET", Self.path(location)))
    }

    private static func path(_ target: String) -> String {
        guard let range = target.range(of: "://") else { return target }
        let rest = target[range.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

extension TestServer {
    /// Runs a server whose account page is on.
    static func runWithAccountPage(
        _ settings: [String: String] = [:],
        _ body: @escaping @Sendable (TestServer) throws -> Void
    ) async throws {
        try await run(settings.merging(["ACCOUNT_PAGE": "on"]) { $1 }, body)
    }
}
