internal import AccountDatabase
internal import Accounts
internal import Database

/// Finding users.
extension Operator {
    /// Finds users by the beginning of a UID, an e-mail address, a username or a subject at an identity provider.
    ///
    /// - Parameters:
    ///   - text: the beginning; empty for all users, the newest first.
    ///   - filter: `guests`, `permanent`, `disabled` or `contested`; `nil`, or any other text, for all.
    ///   - page: the token of the page (``ReportPage/nextPage``); `nil` for the first one.
    ///   - limit: the maximum number of users.
    /// - Returns: a page, which may have fewer users than `limit` although another page follows.
    /// - Throws: ``Failure/noSuchUser(_:)`` for a text that no user can have; ``Failure/noSuchPage(_:)``.
    package func findUsers(
        _ text: String,
        filter: String? = nil,
        page: String? = nil,
        limit: Int
    ) throws -> ReportPage<UserReport> {
        guard let search = UserSearch(text, filter: filter.flatMap(UserSearch.Filter.init)) else {
            throw Failure.noSuchUser(text)
        }
        let position = page.flatMap { UserSearchPosition(text: $0) }
        if let page, position == nil { throw Failure.noSuchPage(page) }
        return try store.database.readNow { transaction in
            let administrators = try transaction.administrators()
            let found = try transaction.users(search, after: position, limit: limit)
            return ReportPage(
                items: found.users.map { found in
                    UserReport(
                        found.user,
                        username: found.username,
                        identities: [],
                        isAdministrator: administrators.contains(found.user.uid)
                    )
                },
                nextPage: found.next?.text
            )
        }
    }
}
