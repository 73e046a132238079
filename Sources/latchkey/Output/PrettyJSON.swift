internal import JSON

extension JSONValue {
    /// The value over several lines, for people.
    ///
    /// Numbers and the order of members are unchanged.
    ///
    /// Characters that control a terminal are escaped, so that it stays the same JSON.
    var pretty: String {
        var lines = ""
        write(to: &lines, indent: "")
        return lines
    }

    /// The value on one line, for people; characters that control a terminal are escaped.
    var line: String {
        Self.harmless(String(decoding: serialized(), as: UTF8.self))
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .object(let object) where !object.isEmpty:
            Self.write(object.members, "{", "}", to: &text, indent: indent) { member, text, inner in
                text += JSONValue.string(member.name).line + ": "
                member.value.write(to: &text, indent: inner)
            }
        case .array(let elements) where !elements.isEmpty:
            Self.write(elements, "[", "]", to: &text, indent: indent) { element, text, inner in
                element.write(to: &text, indent: inner)
            }
        default:
            text += line
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        _ open: String,
        _ close: String,
        to text: inout String,
        indent: String,
        each: (Element, inout String, String) -> Void
    ) {
        let inner = indent + "  "
        text += open + "\n"
        for (index, element) in elements.enumerated() {
            text += inner
            each(element, &text, inner)
            text += index == elements.count - 1 ? "\n" : ",\n"
        }
        text += indent + close
    }

    /// Escapes characters that control a terminal, which compact JSON contains in strings only.
    private static func harmless(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: \.steersTerminals) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.steersTerminals else {
                text.unicodeScalars.append(scalar)
                return
            }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
