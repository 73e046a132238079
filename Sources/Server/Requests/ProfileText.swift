/// The rules for text in a user's profile.
enum ProfileText {
    /// Whether a text may stand in a profile: without control characters, and of at most 1024 bytes, because tokens
    /// carry it.
    static func isAcceptable(_ text: String) -> Bool {
        text.utf8.count <= 1024 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
