import Provider, { type Client, errors } from 'oidc-provider';
import { DEVICE_GRANT } from '../../clients/device-grant.ts';
import { routes } from '../routes.ts';

/**
 * Makes a grant type that the client may not use fail with `unauthorized_client` (RFC 6749 §5.2); oidc-provider reports
 * an invalid request.
 */
export function reportDisallowedGrants({ Client: { prototype } }: Provider): void {
  const { grantTypeAllowed } = prototype;
  prototype.grantTypeAllowed = function assertGrantAllowed(this: Client, type) {
    const isAllowed = grantTypeAllowed.call(this, type);
    if (!isAllowed && type === requestedGrant())
      throw new errors.UnauthorizedClient('requested grant type is not allowed for this client');
    return isAllowed;
  };
}

/** Returns the grant type of the request; oidc-provider also checks others while it responds. */
function requestedGrant(): unknown {
  const ctx = Provider.ctx;
  return ctx?.path === routes.deviceAuthorization ? DEVICE_GRANT : ctx?.oidc.params?.grant_type;
}
