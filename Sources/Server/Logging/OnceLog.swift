internal import JSON
internal import Synchronization

/// Logs what an operator or a developer should read once, such as a hint about the configuration.
final class OnceLog: Sendable {
    /// The number of lines after which nothing more is logged, because clients choose the subjects of some.
    private static let mostLines = 100

    private let logger: Log
    private let logged = Mutex<Set<String>>([])

    init(_ logger: Log) {
        self.logger = logger
    }

    /// Logs an event, unless it was logged before about the same subject.
    func callAsFunction(_ event: String, of subject: String, _ fields: (name: String, value: JSONValue)...) {
        let isNews = logged.withLock { logged in
            logged.count < Self.mostLines && logged.insert("\(event) \(subject)").inserted
        }
        if isNews { logger(event, fields) }
    }
}
