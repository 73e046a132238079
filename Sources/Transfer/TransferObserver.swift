internal import CCurl

/// Receives the data that libcurl's callbacks pass on during a transfer, on the thread that performs it.
protocol TransferObserver: AnyObject {
    /// Whether the transfer may continue; asked about once a second, or more often.
    func mayContinue() -> Bool
    /// Accepts a line of a response's head, or of a mail server's reply; false stops the transfer.
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool
    /// Accepts a piece of the response's body; false stops the transfer.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// The context of the callbacks: C gets the address of this object.
private final class ObserverContext {
    let observer: any TransferObserver

    init(_ observer: any TransferObserver) {
        self.observer = observer
    }

    static func observer(_ context: UnsafeMutableRawPointer?) -> (any TransferObserver)? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<ObserverContext>.fromOpaque(context).takeUnretainedValue().observer
    }
}

extension EasyHandle {
    /// Passes the data of this handle's transfers to an observer from now on, until another observer takes its place.
    mutating func observe(by observer: any TransferObserver) throws(TransferError) {
        try attach(ObserverContext(observer), to: CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_XFERINFODATA)
        try unsafe set(CURLOPT_WRITEFUNCTION, receiveBody)
        try unsafe set(CURLOPT_HEADERFUNCTION, receiveLine)
        try unsafe setProgress(checkTransfer)
        try set(CURLOPT_NOPROGRESS, 0)
    }
}

/// libcurl's CURLOPT_WRITEFUNCTION: passes a piece of the body to the observer; any result but `count` ends the
/// transfer.
private func receiveBody(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let observer = unsafe ObserverContext.observer(context) else { return 0 }
    // "size is always 1", says the manual. Returning fewer bytes than received means "stop", and an empty piece must
    // not.
    return unsafe observer.receiveBody(UnsafeRawBufferPointer(start: data, count: count))
        ? count : Int(count == 0 ? 1 : 0)
}

/// libcurl's CURLOPT_HEADERFUNCTION: passes a line to the observer; any result but `count` ends the transfer.
private func receiveLine(
    _ data: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let observer = unsafe ObserverContext.observer(context) else { return 0 }
    return unsafe observer.receiveLine(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
}

/// libcurl's CURLOPT_XFERINFOFUNCTION, called about once a second, or more often: any result but 0 ends the transfer.
private func checkTransfer(
    _ context: UnsafeMutableRawPointer?,
    _: Int,
    _: Int,
    _: Int,
    _: Int
) -> Int32 {
    unsafe ObserverContext.observer(context)?.mayContinue() == false ? 1 : 0
}
