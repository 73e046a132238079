/// The operator's lists of users.
package protocol UserSearchStore {
    /// Returns a page of the users whom a search describes.
    ///
    /// A search without a text lists the newest users first. If it asks for disabled or contested users, those come
    /// first that were disabled or contested last. A search with a text lists the users whose UID begins with it, then
    /// those whose address does, then usernames, then subjects at providers. A page reads at most ``UserSearchWindow``
    /// rows, so that it takes the same time anywhere among millions of users.
    ///
    /// - Parameters:
    ///   - search: the search.
    ///   - position: the end of the page before; `nil` for the first page.
    ///   - limit: the maximum number of users.
    func users(_ search: UserSearch, after position: UserSearchPosition?, limit: Int) throws -> FoundUsers
}

/// The number of rows that one page of a search may read.
package enum UserSearchWindow {
    /// The maximum number of rows, which takes some milliseconds on both engines.
    package static let rows = 1000
}
