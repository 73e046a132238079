internal import Accounts

extension Services {
    /// Logs a committed change that an action code of an e-mail made, wakes up the mail workers, and notifies the
    /// user's change streams.
    func announce(_ applied: AppliedAction) {
        wake.mailWorkers()
        changes.ended(applied.user.uid)
        changes.hint(.updated, to: applied.user.uid)
        log(applied.isContest ? "user.contested" : "email.applied", uid: applied.user.uid, isAnonymous: false)
    }
}
