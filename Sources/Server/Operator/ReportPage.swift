/// A part of a list, as commands print it in JSON.
package struct ReportPage<Item: Sendable & Encodable>: Sendable, Encodable {
    package let items: [Item]
    /// The token of the next page; `nil` at the end of the list.
    package let nextPage: String?

    /// Makes a page; without a token, the whole list.
    package init(items: [Item], nextPage: String? = nil) {
        self.items = items
        self.nextPage = nextPage
    }
}
