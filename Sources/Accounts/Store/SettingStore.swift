/// The settings that may change while the server runs.
package protocol SettingStore {
    func setting(_ name: String) throws -> String?
    func set(_ name: String, to value: String) throws
    func removeSetting(_ name: String) throws
    /// Returns the UIDs in the setting `administrators`.
    func administrators() throws -> [String]
    func setAdministrators(_ uids: [String]) throws
}
