internal import AccountDatabase
internal import Accounts
internal import Database
internal import HTTPServer
internal import JSON

extension Services {
    /// The maximum number of users in a page.
    private static let longestPage: Int64 = 1000
    /// The maximum number of users in a response with all users; with more, such a call is refused.
    private static let mostUsers: Int64 = 20_000

    /// `GET /v1/projects/{project}/accounts:batchGet`: lists users in the order of their UIDs, page by page (contract,
    /// 3.11).
    ///
    /// A page of a thousand users takes some milliseconds, anywhere in the list, so the read does not run on the thread
    /// that serves connections.
    func listUsers(_ call: AuthorizedRequest) throws -> Handling {
        try checkAdministrator(call, changing: false)
        try refuseExport(by: call)
        let request = call.request
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

    /// The number of users in a page, from the query's `maxResults`: 20 by default and for 0, at most ``longestPage``;
    /// negative if all users are requested.
    ///
    /// - Throws: ``RequestError`` for a value that is not an integer.
    private func pageLimit(_ request: Request) throws -> Int64 {
        guard let text = request.queryValue("maxResults"), !text.isEmpty else { return 20 }
        guard let number = Int64(text) else { throw RequestError.schema("/maxResults must be integer") }
        return number == 0 ? 20 : min(number, Self.longestPage)
    }

    /// `POST /v1/projects/{project}/accounts:query`: lists all users, or only counts them if `returnUserInfo` is false
    /// (contract, 3.11).
    ///
    /// A list of more than ``mostUsers`` is refused, and so are conditions, limits, offsets, and any order but that of
    /// UIDs.
    func queryUsers(_ call: AuthorizedRequest) throws -> Handling {
        let body = try administratorsBody(of: call, changing: false)
        if try body.objects("expression")?.isEmpty == false { throw Self.noSuchQuery("expression") }
        if try body.bool("returnUserInfo") == false {
            return answer {
                try $0.userCount()
            } render: {
                Self.queryResponse(count: $0, nil)
            }
        }
        try refuseExport(by: call)
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
            "Latchkey does not support queries by \(name); list all users in pages with accounts:batchGet."
        )
    }

    private static func checkCount(_ count: Int64) throws {
        guard count <= mostUsers else {
            throw RequestError.notImplemented(
                "There are more than \(mostUsers) users; list them in pages with accounts:batchGet and maxResults."
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

    /// Responds with the result of a longer read, which runs on a thread of the database's, in one snapshot that may be
    /// slightly outdated.
    private func answer<Found: Sendable>(
        _ find: @escaping @Sendable (Transaction) throws -> Found,
        render: @escaping @Sendable (Found) -> Response
    ) -> Handling {
        .suspended { resumption in
            self.database.read(kind: "ListUsers", snapshot: true, mayLag: true, find) { result in
                resumption.resume { render(try result.get()) }
            }
        }
    }
}
