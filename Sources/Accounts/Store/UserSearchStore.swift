/// The operator's lists of users.
package protocol UserSearchStore {
    /// Returns a page of the users whom a search describes.
    ///
    /// Without a text, the users who were created, disabled or contested last come first. With a text, users come in
    /// the order of the fields that begin with it: UID, address, username, subject at a provider. A page reads at most
    /// ``UserSearchWindow`` rows, so that it takes the same time anywhere among millions of users.
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
