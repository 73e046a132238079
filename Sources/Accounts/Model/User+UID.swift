extension User {
    /// Whether a text may be the UID that an administrator, an import or a custom token chooses: 1 to 128 characters.
    package static func isUID(_ text: String) -> Bool {
        !text.isEmpty && text.utf16.count <= 128 && !text.utf8.contains(0)
    }
}
