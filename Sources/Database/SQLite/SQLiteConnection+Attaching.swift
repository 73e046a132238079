internal import CSQLite

/// Files that are attached until the end of a transaction.
extension SQLiteConnection {
    /// The longest wait for a lock while other files are attached, in milliseconds.
    ///
    /// The wait is short, because all writes wait behind a merge that waits for another program's lock.
    private static let attachedBusyTimeout = 200

    func attach(_ path: String, as name: String) throws(DatabaseError) {
        guard !attached.contains(name) else { return }
        let statement = try prepare(Array("ATTACH DATABASE ?1 AS ?2".utf8))
        try statement.start([.text(path), .text(name)])
        defer { statement.close() }
        while try statement.step() {}
        attached.append(name)
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: min(busyTimeout, Self.attachedBusyTimeout)))
    }

    /// Detaches the attached files, which is only possible outside a transaction.
    func detachAll() {
        guard !attached.isEmpty else { return }
        // Cached statements that read an attached file refer to it until they are finalised.
        cache.removeAll()
        for name in attached {
            guard let statement = try? prepare(Array("DETACH DATABASE ?1".utf8)) else { continue }
            try? statement.start([.text(name)])
            while (try? statement.step()) == true {}
            statement.close()
        }
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout))
        attached = []
    }
}
