internal import Accounts

/// An accepted address is clean, and parsing its canonical or display form returns the same address.
func fuzzAddress(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let address = try? EmailAddress(parsing: text) else { return }
    let canonical = address.canonical
    claim(canonical.utf8.count <= 254 && address.localPart.utf8.count <= 64, "too long")
    claim(canonical.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1, "not one @")
    claim(address.domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "domain not ASCII")
    claim(!canonical.unicodeScalars.contains { $0.value <= 0x20 || 0x7F...0xA0 ~= $0.value }, "control or space")
    guard let again = try? EmailAddress(parsing: canonical), let shown = try? EmailAddress(parsing: address.displayForm)
    else { fatalError("canonical or display form refused") }
    claim(again.canonical.utf8.elementsEqual(canonical.utf8), "canonical form changes")
    claim(shown.canonical.utf8.elementsEqual(canonical.utf8), "display form is another address")
}
