internal import Accounts

/// The places of templates in version 0.1, when each language had its own files of each e-mail.
enum MovedTemplates {
    /// Refuses an operator's folder that still has files in an old place.
    ///
    /// - Throws: `TemplateError` naming the new place.
    static func check(_ folder: TemplateFolder) throws(TemplateError) {
        for path in folder.ownPaths {
            guard let destination = destination(of: path) else { continue }
            throw TemplateError(file: folder.displayName(path), line: nil, reason: destination)
        }
    }

    /// Returns a text that says where the content of a file in an old place belongs now; nil for any other path.
    private static func destination(of path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == 3 else { return nil }
        if parts[0] == "pages", parts[1] == "strings" {
            return "moved to strings/\(parts[2]), which needs only the texts that differ from the built-in ones"
        }
        guard parts[0] == "email" else { return nil }
        let strings = "strings/\(parts[1]).json"
        if let key = key(ofFile: parts[2]) { return "moved into \(strings), as the text '\(key)'" }
        return "moved to email/\(parts[2]), one file for all languages, with the words in \(strings)"
    }

    /// Returns the key of the text that a file of one line became; nil for any other file.
    private static func key(ofFile name: String) -> String? {
        switch name {
        case "unknown-device.txt": return EmailTemplates.unknownDevice
        case "unknown-account.txt": return EmailTemplates.unknownAccount
        default:
            let parts = name.split(separator: ".")
            guard parts.count == 3, let kind = MailKind(rawValue: String(parts[0])) else { return nil }
            switch parts[1] {
            case "subject": return kind.subjectKey
            case "preheader": return kind.preheaderKey
            default: return nil
            }
        }
    }
}
