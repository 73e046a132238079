internal import CCurl

/// A list of strings in libcurl's form.
@safe
struct StringList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init(_ strings: [String]) throws(TransferError) {
        unsafe head = nil
        for string in strings {
            guard let longer = unsafe curl_slist_append(head, string) else {
                unsafe curl_slist_free_all(head)
                unsafe head = nil
                throw TransferError(.other, "out of memory")
            }
            unsafe head = unsafe longer
        }
    }

    deinit { unsafe curl_slist_free_all(head) }
}
