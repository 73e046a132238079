internal import Synchronization

/// A value for each language, made when it is first needed.
///
/// A server uses few of its languages, and the texts and pages of all of them take memory, and time at the start.
package final class ByLanguage<Value: Sendable>: Sendable {
    /// The available languages, sorted.
    package let locales: [String]
    private let make: @Sendable (String) throws(TemplateError) -> Value
    private let made = Mutex<[String: Value]>([:])

    /// Creates the collection without making a value.
    ///
    /// - Parameters:
    ///   - locales: the available languages.
    ///   - make: makes the value of a language. It may be called more than once for a language, by threads that need it
    ///     at the same moment.
    package init(_ locales: [String], _ make: @escaping @Sendable (String) throws(TemplateError) -> Value) {
        self.locales = locales.sorted()
        self.make = make
    }

    /// Returns the value of a language; `nil` if the language is not available or its value cannot be made.
    package subscript(locale: String) -> Value? { try? value(locale) }

    /// Returns the value of a language; `nil` if the language is not available.
    ///
    /// - Throws: what the closure throws that makes the value.
    package func value(_ locale: String) throws(TemplateError) -> Value? {
        if let known = made.withLock({ $0[locale] }) { return known }
        guard locales.contains(locale) else { return nil }
        let new = try make(locale)
        made.withLock { $0[locale] = new }
        return new
    }

    /// Makes the values of all languages now, so that errors show at once.
    ///
    /// - Throws: what the closure throws that makes a value.
    package func makeAll() throws(TemplateError) {
        for locale in locales { _ = try value(locale) }
    }
}
