/// The e-mails that wait to be sent.
package protocol OutboxStore {
    /// Queues an e-mail; `payload` is its sealed form.
    func queue(_ mail: QueuedMail, rank: MailRank, payload: String) throws
}
