internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// The most users of one page, and of an answer that asks for all.
    private static let longestPage: Int64 = 1000
    private static let mostUsers: Int64 = 20_000

    /// `GET /v1/projects/{project}/accounts:batchGet`: users in the order of their UIDs, page by page (contract, 3.11).
    ///
    /// Some milliseconds for a thousand users, wherever in the list, so not on the thread that serves connections.
    func listUsers(_ request: Request) throws -> Handling {
        try checkAdministrator(request, changing: false)
        let limit = try pageLimit(request)
        guard !request.hasMalformedQuery else { throw RequestError.schema("/ must be a percent-encoded query") }
        let after = request.queryValue("nextPageToken") ?? ""
        return answer { transaction in
            let isAll = limit < 0
            let records = try UserRecord.page(
                after: after,
                limit: isAll ? Self.mostUsers + 1 : limit,
                in: transaction
            )
            if isAll { try Self.checkCount(Int64(records.count)) }
            return (records, Int64(records.count) == limit ? records.last?.user.uid : nil)
        } render: { records, next in
            var json = JSONWriter(capacity: 64 + 512 * records.count)
            json.beginObject()
            json.member("kind", "identitytoolkit#DownloadAccountResponse")
            json.member("users", records)
            json.member("nextPageToken", next)
            json.endObject()
            return .json(json.bytes)
        }
    }

    /// How many users to a page; negative for all of them.
    private func pageLimit(_ request: Request) throws -> Int64 {
        guard let text = request.queryValue("maxResults"), !text.isEmpty else { return 20 }
        guard let number = Int64(text) else { throw RequestError.schema("/maxResults must be integer") }
        return number == 0 ? 20 : min(number, Self.longestPage)
    }

    /// `POST /v1/projects/{project}/accounts:query`: how many users there are, or all of them (contract, 3.11).
    func queryUsers(_ request: Request) throws -> Handling {
        let body = try administratorsBody(of: request, changing: false)
        if try body.objects("expression")?.isEmpty == false { throw Self.noSuchQuery("expression") }
        if try body.bool("returnUserInfo") == false {
            return answer {
                try $0.userCount()
            } render: {
                Self.queryResponse(count: $0, nil)
            }
        }
        if try body.int64("limit") ?? 0 != 0 { throw Self.noSuchQuery("limit") }
        if try body.int64("offset") ?? 0 != 0 { throw Self.noSuchQuery("offset") }
        let sort = try body.word("sortBy", of: Self.sortings)
        guard sort == nil || sort == "SORT_BY_FIELD_UNSPECIFIED" || sort == "USER_ID" else {
            throw Self.noSuchQuery("sortBy")
        }
        let isDescending = try body.word("order", of: ["ORDER_UNSPECIFIED", "ASC", "DESC"]) == "DESC"
        return answer { transaction in
            let records = try UserRecord.page(after: "", limit: Self.mostUsers + 1, in: transaction)
            try Self.checkCount(Int64(records.count))
            return isDescending ? records.reversed() : records
        } render: { records in
            Self.queryResponse(count: Int64(records.count), records)
        }
    }

    private static let sortings = [
        "SORT_BY_FIELD_UNSPECIFIED", "USER_ID", "NAME", "CREATED_AT", "LAST_LOGIN_AT", "USER_EMAIL",
    ]

    private static func noSuchQuery(_ name: String) -> RequestError {
        .notImplemented(
            "\(name) is not something that Latchkey queries by; accounts:batchGet answers all users in pages."
        )
    }

    private static func checkCount(_ count: Int64) throws {
        guard count <= mostUsers else {
            throw RequestError.notImplemented(
                "There are more than \(mostUsers) users; ask for pages by accounts:batchGet with maxResults."
            )
        }
    }

    private static func queryResponse(count: Int64, _ records: [UserRecord]?) -> Response {
        var json = JSONWriter(capacity: 64 + 512 * (records?.count ?? 0))
        json.beginObject()
        json.member("recordsCount", String(count))
        if let records { json.member("userInfo", records) }
        json.endObject()
        return .json(json.bytes)
    }

    /// Answers what a longer read finds, which a thread of the database's makes.
    private func answer<Found: Sendable>(
        _ find: @escaping @Sendable (Transaction) throws -> Found,
        render: @escaping @Sendable (Found) -> Response
    ) -> Handling {
        .suspended { resumption in
            self.database.read(snapshot: true, mayLag: true, find) { result in
                resumption.resume { render(try result.get()) }
            }
        }
    }
}
