import Accounts
import Tokens

@testable import Server

extension OperationMix {
    static let code = Kind(share: 8) { _, draw in
        guard let code = draw.code() else { return nil }
        let notice = try draw.notice()
        if code.purpose == .revertMethodChange {
            return Operation("revert", AnswerLink.Input.revert(page(of: code)), AnswerLink.init) { outcome in
                ([], ["code \(code.id.text)"])
            }
        }
        if draw.numbers.chance(15) {
            let input = AnswerLink.Input.denyAction(page(of: code), TracedDevice())
            return Operation("denial of a code", input, AnswerLink.init)
        }
        let lessons = Draw.codes(of: notice, at: code.expiry * 1000)
        if draw.numbers.chance(50) {
            let input = AnswerLink.Input.apply(page(of: code), notice)
            return Operation("code on the page", input, AnswerLink.init) { _ in
                (lessons, ["code \(code.id.text)"])
            }
        }
        let input = Update.Input.code(code, .call(draw.token(percent: 60)), notice)
        return Operation("code by call", input, Update.init) { _ in (lessons, ["code \(code.id.text)"]) }
    }

    static let update = Kind(share: 8) { _, draw in
        guard let session = draw.session() else { return nil }
        var update = ProfileUpdate()
        switch Int.random(in: 0..<6, using: &draw.numbers) {
        case 0, 1: update.email = try draw.email()
        case 2: update.deletesEmail = true
        case 3: update.deletedProviders = [draw.numbers.pick(providers) ?? ""]
        case 4: update.revokesTokens = true
        default: update.displayName = "Name \(Int.random(in: 0..<9, using: &draw.numbers))"
        }
        let notice = try draw.notice()
        let input = Update.Input.profile(update, session.token, try draw.opening(), notice)
        let lessons = Draw.codes(of: notice, at: session.issuedAt * 1000)
        return Operation("update", input, Update.init) { outcome in
            guard case .profile(let updated, _) = outcome else { return ([], []) }
            return (lessons + (updated.session.map { [.session(KnownSession($0))] } ?? []), [])
        }
    }
}
