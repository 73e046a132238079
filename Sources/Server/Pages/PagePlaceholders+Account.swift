extension PagePlaceholders {
    /// The placeholders of the account page's files.
    static let account: [String: Set<String>] = [
        "account": ["formToken", "account", "name", "notice"],
        "account-address": ["formToken", "email", "state"],
        "account-confirm": ["formToken"],
        "account-continue": ["formToken", "account", "path", "field", "value"],
        "account-delete": ["formToken", "account"],
        "account-deleted": [],
        "account-end-session": ["formToken", "session", "device"],
        "account-message": ["title", "message"],
        "account-method": ["method", "detail", "time"],
        "account-sent": ["email"],
        "account-session": ["device", "time", "current"],
        "account-sign-in": ["formToken", "notice"],
        "account-sign-in-approved": ["formToken"],
        "account-sign-in-code": ["formToken", "digits", "minutes"],
        "account-sign-in-inbox": ["email", "notice"],
    ]

    /// The placeholders in each of the account page's files that stand for parts of HTML, which are not escaped again.
    static let accountParts: [String: Set<String>] = account.mapValues { _ in [] }.merging([
        "account": ["address", "methods", "sessions"],
        "account-deleted": ["back"],
        "account-session": ["end"],
        "account-sign-in-inbox": ["code"],
    ]) { $1 }
}
