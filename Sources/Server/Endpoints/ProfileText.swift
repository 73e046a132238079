/// What may stand in a user's profile.
enum ProfileText {
    /// Whether a text may: control characters have no business there, and tokens carry it, so it stays short.
    static func isAcceptable(_ text: String) -> Bool {
        text.utf8.count <= 1024 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
