internal import Accounts
internal import HTTPServer

/// How a person can sign in on the page that waits for the e-mail.
enum AccountInbox {
    /// With the e-mail's code. The page shows the digits to type where the link is opened on another device.
    case code(digits: String)
    /// With a button, because the link was approved on another device.
    case approved
}

/// A form that opens the account page once the person has seen whose account it is.
struct AccountEntry {
    /// The path that the form is sent to.
    let path: String
    /// The name of the field with the secret of the URL.
    let field: String
    let value: String
}

// The pages before the account is shown.
extension Pages {
    /// Asks for the address of an account.
    ///
    /// - Parameters:
    ///   - formToken: binds the form to the browser's sign-in.
    ///   - locale: the language.
    ///   - notice: why the page is shown; `nil` if the browser has just arrived.
    ///   - status: the HTTP status.
    func askForAddress(formToken: String, locale: String, notice: PageText? = nil, status: Int = 200) -> Response {
        let values = ["formToken": formToken, "notice": notice.map { accountText($0, locale) } ?? ""]
        return page("account-sign-in", locale: locale, values, status: status)
    }

    /// Shows the page that waits for the e-mail of a sign-in.
    ///
    /// - Parameters:
    ///   - email: the address that the e-mail was sent to.
    ///   - inbox: how the person can sign in.
    ///   - formToken: binds the form to the browser's sign-in.
    ///   - locale: the language.
    ///   - isWrong: whether a wrong code was typed.
    func awaitEmail(
        at email: String,
        _ inbox: AccountInbox,
        formToken: String,
        locale: String,
        isWrong: Bool = false
    ) -> Response {
        let form =
            switch inbox {
            case .approved: accountPart("account-sign-in-approved", locale, ["formToken": formToken])
            case .code(let digits):
                accountPart(
                    "account-sign-in-code",
                    locale,
                    ["formToken": formToken, "digits": digits, "minutes": String(signInLinkMinutes)]
                )
            }
        let values = [
            "email": accountAddress(email), "code": form,
            "notice": isWrong ? accountText(.accountInboxWrong, locale) : "",
        ]
        return page("account-sign-in-inbox", locale: locale, values, status: isWrong ? 403 : 200)
    }

    /// Asks whether to open the account page for an account.
    ///
    /// - Parameters:
    ///   - account: the name of the account.
    ///   - entry: the form that opens the page.
    ///   - formToken: binds the form to the browser's sign-in.
    ///   - locale: the language.
    func askToContinue(as account: String, _ entry: AccountEntry, formToken: String, locale: String) -> Response {
        let values = [
            "formToken": formToken, "account": account, "path": entry.path, "field": entry.field, "value": entry.value,
        ]
        return page("account-continue", locale: locale, values)
    }
}
