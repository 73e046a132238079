internal import Glibc

/// An opaque sRGB color, written as `#2557c7` or `#25c`.
package struct HexColor: Sendable, Equatable, CustomStringConvertible {
    /// The channels, from 0 to 255.
    private let red: Double, green: Double, blue: Double

    private init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Reads a color; `nil` for any other text, such as a color's name.
    package init?(_ text: String) {
        guard text.hasPrefix("#") else { return nil }
        let digits = text.dropFirst().compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count - 1 else { return nil }
        switch digits.count {
        case 3: self.init(red: Double(digits[0] * 17), green: Double(digits[1] * 17), blue: Double(digits[2] * 17))
        case 6:
            self.init(
                red: Double(digits[0] * 16 + digits[1]),
                green: Double(digits[2] * 16 + digits[3]),
                blue: Double(digits[4] * 16 + digits[5])
            )
        default: return nil
        }
    }

    package static let black = HexColor(red: 0, green: 0, blue: 0)
    package static let white = HexColor(red: 255, green: 255, blue: 255)

    /// The color as `#rrggbb`.
    package var description: String {
        "#"
            + [red, green, blue].map { channel in
                let text = String(Int(channel.rounded()), radix: 16)
                return text.utf8.count == 1 ? "0\(text)" : text
            }.joined()
    }

    /// Returns a mixture with another color.
    ///
    /// - Parameter share: the other color's share, from 0 to 1.
    package func mixed(with other: HexColor, share: Double) -> HexColor {
        func mix(_ own: Double, _ other: Double) -> Double { own + (other - own) * share }
        return HexColor(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }

    /// Returns the contrast ratio to another color, from 1 to 21 (WCAG 2.2, "contrast ratio").
    package func contrast(to other: HexColor) -> Double {
        let luminances = [luminance, other.luminance]
        return ((luminances.max() ?? 1) + 0.05) / ((luminances.min() ?? 0) + 0.05)
    }

    /// The relative luminance, from 0 to 1 (WCAG 2.2, "relative luminance").
    private var luminance: Double {
        func linear(_ channel: Double) -> Double {
            let share = channel / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
