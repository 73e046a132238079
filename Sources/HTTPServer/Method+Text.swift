internal import Glibc

extension Method {
    /// The method of a request line, without making a string for the usual ones.
    init(_ text: UnsafePointer<CChar>) {
        for known in Method.usual where unsafe strcmp(text, known.rawValue) == 0 {
            self = known
            return
        }
        unsafe self.init(rawValue: String(cString: text))
    }

    private static let usual: [Method] = [.get, .post, .options, .head, .put, .patch, .delete]
}
