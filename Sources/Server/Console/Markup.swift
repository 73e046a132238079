internal import Mail

/// A piece of HTML.
///
/// Only the literals of the source code become HTML. Interpolated texts are escaped, so that no stored text can become
/// markup; interpolated markup stays as it is.
struct Markup: Sendable, ExpressibleByStringInterpolation {
    private(set) var html: String

    /// A text, escaped.
    init(_ text: String) { html = HTML.escaped(text) }

    init(stringLiteral value: StaticString) { html = "\(value)" }
    init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

    /// HTML that a template rendered.
    init(rendered html: String) { self.html = html }

    static func + (one: Markup, other: Markup) -> Markup { Markup(rendered: one.html + other.html) }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            html.reserveCapacity(literalCapacity + 24 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) { html += "\(literal)" }
        mutating func appendInterpolation(_ text: String) { html += HTML.escaped(text) }
        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
        mutating func appendInterpolation(_ number: some BinaryInteger) { html += String(number) }
    }
}

extension Sequence<Markup> {
    /// All pieces, one after another.
    func joined() -> Markup { Markup(rendered: map(\.html).joined()) }
}
