/// Which of a program's listeners a request came by.
package struct ListenerName: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The one that has no other name.
    package static let main = ListenerName(rawValue: "main")
}
