/// The mailboxes that get no e-mail.
package protocol SuppressionStore {
    /// Allows e-mails again to a mailbox, given by its keyed hash, that a mail server reported as nonexistent.
    func endSuppression(of mailbox: String) throws
}
