/// The content encodings that a client accepts (RFC 9110, section 12.5.3).
struct AcceptedEncodings {
    private let names: Set<String>

    /// Parses the value of `Accept-Encoding`; encodings with the weight 0 are not accepted.
    init(_ value: String) {
        names = Set(
            value.split(separator: ",").compactMap { element in
                let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                guard let name = parts.first else { return nil }
                let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
                return weight == 0 ? nil : name
            }
        )
    }

    /// Whether an encoding is named; `*` names none.
    func contains(_ encoding: String) -> Bool { names.contains(encoding) }
}
