internal import Accounts
internal import HTTPServer

extension Services {
    /// The calls of administrators; web pages have no part in them.
    func addProjectCalls(to router: inout Router) {
        router.add(.get, "/v1/projects/{project}/users/{uid}", guarded(handler(FindUser(services: self))))
        router.add(.get, "/v1/projects/{project}/cleanup", guarded(readCleanup))
        router.add(.patch, "/v1/projects/{project}/cleanup", guarded(handler(ChangeCleanup(services: self))))
        let cookie = guarded(handler(CreateSessionCookie(services: self)))
        for prefix in Self.identityToolkitPrefixes {
            router.add(.post, "\(prefix)/v1/projects/{project}:createSessionCookie", cors: true, cookie)
        }
    }

    /// Lets an administrator of the project in the path pass.
    ///
    /// - Throws: ``Refusal`` INSUFFICIENT_PERMISSION for a client (contract, 1.2), ``RequestError`` for a wrong bearer or
    ///   another project.
    func checkAdministrator(_ request: Request) throws {
        guard try caller(of: request) == .administrator else {
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
