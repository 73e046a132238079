/// The mailboxes that get no e-mail.
package protocol SuppressionStore {
    /// Stops e-mail to a mailbox, given by its keyed hash, that a mail server reported as nonexistent; for a time in
    /// milliseconds from now.
    func suppress(_ mailbox: String, for milliseconds: Int64) throws

    /// Allows e-mails again to a mailbox, given by its keyed hash, that a mail server reported as nonexistent.
    func endSuppression(of mailbox: String) throws
}
