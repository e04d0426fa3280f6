import type Koa from 'koa';

/**
 * Makes an app build every URL from its issuer. The library builds the metadata and the accepted audiences of client
 * assertions from the request, so a caller who chose the `Host` header, or an absolute request target, would choose
 * these as well.
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
