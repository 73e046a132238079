internal import Mail

/// The result is always an available language; the app's choice takes precedence.
///
/// The first line of the input is `X-Firebase-Locale`, the second `Accept-Language`.
func fuzzLocale(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let header = lines.first.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    let accept = lines.count == 2 ? String(decoding: lines[1], as: UTF8.self) : nil
    let choice = choose(header, accept)
    claim(LocaleChoice.shipped.contains(choice), "\(choice) is not there")
    claim(["ltr", "rtl"].contains(LocaleChoice.direction(choice)))
    claim(choose(choice, accept) == choice, "a language that was asked for by its name is not given")
    claim(choose(nil, choice) == choice)
    if let header, let same = LocaleChoice.shipped.first(where: { $0.lowercased() == header.lowercased() }) {
        claim(choice == same, "\(choice) instead of \(header)")
    }
}

private func choose(_ header: String?, _ accept: String?) -> String {
    LocaleChoice.choose(from: LocaleChoice.shipped, default: "en", header: header, acceptLanguage: accept)
}
