/** Where people find the applications that they registered. */
export const applicationsPath = '/account/developer/applications';

/** Where a new application is registered. */
export const registrationPath = `${applicationsPath}/new`;

/** Where the link in an invitation leads. */
export const invitationPath = '/account/developer/invitation';

/** The addresses of one application's pages and forms; the arguments may be names of path parameters. */
export function pathsOf(id: string) {
  const show = `${applicationsPath}/${id}`;
  return {
    show,
    edit: `${show}/edit`,
    remove: `${show}/remove`,
    logo: `${show}/logo`,
    removeLogo: `${show}/logo/remove`,
    addSecret: `${show}/secrets`,
    requestTrust: (kind: string) => `${show}/trust/${kind}`,
    withdrawTrust: (requestId: string) => `${show}/trust/${requestId}/withdraw`,
    invite: `${show}/invitations`,
    withdrawInvitation: (invitationId: string) => `${show}/invitations/${invitationId}/withdraw`,
    removeCoOwner: (accountId: string) => `${show}/co-owners/${accountId}/remove`,
    handOver: (accountId: string) => `${show}/co-owners/${accountId}/hand-over`,
    leave: `${show}/leave`,
    removeSecret: (secretId: string) => `${show}/secrets/${secretId}/remove`,
  };
}
