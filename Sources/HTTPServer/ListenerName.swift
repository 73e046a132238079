/// The name of a listener, for programs with several: a handler learns from it which one received a request.
package struct ListenerName: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name of a listener for which no name was configured.
    package static let main = ListenerName(rawValue: "main")
}
