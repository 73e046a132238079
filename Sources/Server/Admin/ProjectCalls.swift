internal import Accounts
internal import HTTPServer

extension Services {
    /// The calls of administrators; web pages have no part in them.
    func addProjectCalls(to router: inout Router) {
        router.add(.get, "/v1/projects/{project}/users/{uid}", guarded(handler(FindUser(services: self))))
        router.add(.get, "/v1/projects/{project}/cleanup", guarded(readCleanup))
        router.add(.patch, "/v1/projects/{project}/cleanup", guarded(handler(ChangeCleanup(services: self))))
    }

    /// Lets an administrator of the project in the path pass.
    ///
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION for a client (contract, 1.2), ``RequestError`` for a wrong bearer or
    ///   another project.
    func checkAdministrator(_ request: Request) throws {
        try permit(caller(of: request), request)
    }

    /// The body of a call on the project in the path, which only administrators may make.
    ///
    /// - Throws: as ``checkAdministrator(_:)``; what is wrong with the body comes before what is wrong with a client.
    func administratorBody(of request: Request) throws -> RequestBody {
        let caller = try caller(of: request)
        let body = try RequestBody(request)
        try permit(caller, request)
        return body
    }

    private func permit(_ caller: Caller, _ request: Request) throws {
        guard caller == .administrator else {
            throw Refusal(
                .insufficientPermission,
                detail: "Only authenticated requests can specify target_project_id."
            )
        }
        // In development every project is the one that there is.
        guard configuration.mode == .development || request.parameters["project"] == configuration.projectID else {
            throw RequestError.forbidden("This server is not of this project.")
        }
    }
}
