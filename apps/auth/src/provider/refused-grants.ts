import Provider, { type Client, errors } from 'oidc-provider';
import { DEVICE_GRANT } from '../clients/device-grant.ts';
import { routes } from './offered-routes.ts';

/**
 * Tells a client by its name, `unauthorized_client`, that the grant it asks for is not for it (RFC 6749 §5.2); the
 * library calls that an invalid request.
 */
export function nameRefusedGrants({ Client: { prototype } }: Provider): void {
  const { grantTypeAllowed } = prototype;
  prototype.grantTypeAllowed = function requireGrant(this: Client, type) {
    const isAllowed = grantTypeAllowed.call(this, type);
    if (!isAllowed && type === requestedGrant())
      throw new errors.UnauthorizedClient('requested grant type is not allowed for this client');
    return isAllowed;
  };
}

/** What the request is for, of all the grants that the library asks about while it answers. */
function requestedGrant(): unknown {
  const ctx = Provider.ctx;
  return ctx?.path === routes.deviceAuthorization ? DEVICE_GRANT : ctx?.oidc.params?.grant_type;
}
