import type Koa from 'koa';

/**
 * Makes an app build every URL from its issuer. oidc-provider derives the metadata and the accepted audiences of client
 * assertions from the request, so a caller could choose them by the `Host` header or an absolute request target.
 */
export function pinOrigin(app: Koa, issuer: string): void {
  const { protocol, host, hostname, origin } = new URL(issuer);
  Object.defineProperties(app.request, {
    protocol: { value: protocol.slice(0, -1) },
    secure: { value: protocol === 'https:' },
    host: { value: host },
    hostname: { value: hostname },
    origin: { value: origin },
    href: {
      get(this: Koa.Request) {
        return origin + this.path + this.search;
      },
    },
  });
}
