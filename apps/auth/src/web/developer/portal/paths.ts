/** Path of the list of the user's applications. */
export const applicationsPath = '/account/developer/applications';

/** Path of the page that registers an application. */
export const registrationPath = `${applicationsPath}/new`;

/** Path of an invitation's link. */
export const invitationPath = '/account/developer/invitation';

/** Returns the paths of one application's pages and forms; the arguments may be path parameters such as `:id`. */
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
