internal import Accounts
internal import HTTPServer
internal import Tokens

/// An error that the console explains to its person.
struct ConsoleError: Error, Sendable {
    let heading: String
    let message: String
    var status = 400
}

extension Services {
    /// The number of rows on a page of a list.
    static let consoleRows = 50

    /// Seals the place after a page, so that the URL of the next page reveals no address and works only for this
    /// session and list.
    ///
    /// - Parameters:
    ///   - position: the place.
    ///   - list: the list with its conditions.
    ///   - visit: the visit.
    func pageToken(_ position: String, of list: String, _ visit: ConsoleVisit) throws -> String {
        try Sealer(secrets).seal(
            [UInt8](position.utf8),
            table: "console",
            column: "page",
            row: "\(visit.session?.text ?? "") \(list)"
        )
    }

    /// Opens the token of the next page; `nil` without one.
    ///
    /// - Throws: ``ConsoleError`` for a token of another session or list, or for another text.
    func pagePosition(_ request: Request, of list: String, _ visit: ConsoleVisit) throws -> String? {
        guard let token = request.queryValue("after"), !token.isEmpty else { return nil }
        guard token.utf8.count <= 4096,
            let bytes = try? Sealer(secrets).open(
                token,
                table: "console",
                column: "page",
                row: "\(visit.session?.text ?? "") \(list)"
            )
        else { throw ConsoleError(heading: "No such page", message: "The link is of another list or session.") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Markup {
    /// The link to the next page; empty without one.
    static func next(_ path: String?) -> Markup {
        path.map { "<p class=\"next\"><a href=\"\($0)\" rel=\"next\">Next page</a></p>" } ?? ""
    }
}
