internal import Glibc

extension Method {
    /// Creates a method from its name in a request line, without allocating a string for common methods.
    init(_ text: UnsafePointer<CChar>) {
        for known in Method.usual where unsafe strcmp(text, known.rawValue) == 0 {
            self = known
            return
        }
        unsafe self.init(rawValue: String(cString: text))
    }

    private static let usual: [Method] = [.get, .post, .options, .head, .put, .patch, .delete]
}
