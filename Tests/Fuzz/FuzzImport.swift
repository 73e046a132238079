internal import Accounts
internal import JSON

/// A file of users reads the same in pieces of any size, and as the strict parser reads it.
///
/// The first byte is the size of the pieces.
func fuzzImport(_ bytes: [UInt8]) {
    guard let size = bytes.first.map({ Int($0 % 16) + 1 }) else { return }
    let file = Array(bytes.dropFirst())
    let pieces = stride(from: 0, to: file.count, by: size).map { Array(file[$0..<min($0 + size, file.count)]) }
    let elements = readElements([file])
    claim(elements == readElements(pieces), "pieces of JSON differ from the whole")
    if elements.isWhole, let users = (try? JSONValue.parse(file))?["users"]?.array {
        claim(elements.read == users.map { String(decoding: $0.serialized(), as: UTF8.self) }, "other elements")
    }
    claim(readLines([file]) == readLines(pieces), "pieces of CSV differ from the whole")
}

private struct Reading: Equatable {
    var read: [String] = []
    var isWhole = false
}

private func readElements(_ pieces: [[UInt8]]) -> Reading {
    var reader = JSONElementReader(member: "users", maximumElement: 512)
    var reading = Reading()
    do {
        for piece in pieces {
            try reader.read(piece) { element in
                switch element.value {
                case .success(let value): reading.read.append(String(decoding: value.serialized(), as: UTF8.self))
                case .failure(let error): reading.read.append("\(error)")
                }
            }
        }
        try reader.finish()
        reading.isWhole = true
    } catch {
        reading.read.append("\(error)")
    }
    return reading
}

private func readLines(_ pieces: [[UInt8]]) -> Reading {
    var reader = ExportCSV()
    var reading = Reading()
    do {
        for piece in pieces {
            try reader.read(piece) { line in
                let user = line.row.flatMap { row in Result { () throws(ImportFault) in try ImportedUser(row) } }
                reading.read.append("\(line.number) \(user.map(\.uid))")
            }
        }
        try reader.finish()
        reading.isWhole = true
    } catch {
        reading.read.append("\(error)")
    }
    return reading
}
