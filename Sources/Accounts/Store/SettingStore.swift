/// The settings that may change while the server runs.
package protocol SettingStore {
    func setting(_ name: String) throws -> String?
    func set(_ name: String, to value: String) throws
    func removeSetting(_ name: String) throws
    /// Returns the setting `administrators`.
    func administratorList() throws -> AdministratorList
    func setAdministratorList(_ list: AdministratorList) throws
}

extension SettingStore {
    /// Returns the UIDs of all administrators, read-only ones included.
    package func administrators() throws -> [String] { try administratorList().uids }
}
