/** Where people find the applications that they registered. */
export const applicationsPath = '/account/developer/applications';

/** Where a new application is registered. */
export const registrationPath = `${applicationsPath}/new`;

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
    removeSecret: (secretId: string) => `${show}/secrets/${secretId}/remove`,
  };
}
