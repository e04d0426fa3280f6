import type { Grant } from 'oidc-provider';
import { scopesOfClaims } from '../../accounts/account/account.ts';
import { openPayload } from '../../artifacts/artifact-payload.ts';
import type { ArtifactStore, StoredArtifact } from '../../artifacts/artifact-store.ts';
import { findCredentialEpoch } from '../../artifacts/credential-epochs.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditStore } from '../../audit/audit-store.ts';
import type { Sealer } from '../../keys/sealing.ts';
import type { Consent, ConsentOwner, RememberedConsent, RememberedConsents } from './remembered-consents.ts';

export interface ConnectedApplicationsOptions {
  artifacts: Pick<ArtifactStore, 'findByAccount' | 'revokeGrant'>;
  consents: Pick<RememberedConsents, 'list' | 'remove'>;
  records: Pick<AuditStore, 'list'>;
  audit: Pick<Audit, 'record'>;
  sealer: Sealer;
  now: () => Date;
}

/** The access that an account has granted to a client. */
export interface Connection {
  clientId: string;
  scopes: readonly string[];
  /** When access was first granted. */
  since: Date;
  /** When the client last received a token, as far as the audit log goes back. */
  lastUsedAt: Date | undefined;
}

/** Network origin of a revocation. */
export interface RevocationOrigin {
  address: string;
  requestId?: string | undefined;
}

/** The applications that have access to an account. */
export interface ConnectedApplications {
  /** Returns the connections, newest first. */
  list(account: ConsentOwner): Promise<readonly Connection[]>;
  /**
   * Revokes the access of a client: its codes, tokens and sessions become invalid, and it must ask for consent again.
   * The token status list contains its access tokens.
   */
  revoke(consent: Consent, origin: RevocationOrigin): Promise<void>;
}

/** The used members of a stored grant. */
type GrantPayload = Pick<Grant, 'openid' | 'resources' | 'iat'>;

export function createConnectedApplications(options: ConnectedApplicationsOptions): ConnectedApplications {
  const { artifacts, consents, records, sealer, now } = options;

  const findGrants = (accountId: string) => artifacts.findByAccount('Grant', accountId, now());

  function toValidConsents(artifact: StoredArtifact, credentialEpoch: number): RememberedConsent[] {
    const { clientId = '' } = artifact;
    const grant = openPayload<GrantPayload>(sealer, artifact);
    if (findCredentialEpoch(grant) !== credentialEpoch) return [];
    return [{ clientId, scopes: scopesOf(grant), at: new Date(grant.iat * 1000) }];
  }

  async function toConnection(consent: Consent, allowed: readonly RememberedConsent[]): Promise<Connection> {
    const [newest] = await records.list({ ...consent, types: ['token.issued'], limit: 1 });
    return {
      clientId: consent.clientId,
      scopes: [...new Set(allowed.flatMap(({ scopes }) => scopes))],
      since: new Date(Math.min(...allowed.map(({ at }) => at.getTime()))),
      lastUsedAt: newest?.at,
    };
  }

  return {
    async list(account) {
      const { id: accountId, credentialEpoch } = account;
      const [grants, remembered] = await Promise.all([findGrants(accountId), consents.list(account)]);
      const valid = grants.flatMap((grant) => toValidConsents(grant, credentialEpoch));
      const byClient = Map.groupBy([...valid, ...remembered], ({ clientId }) => clientId);
      const connections = await Promise.all(
        [...byClient].map(([clientId, allowed]) => toConnection({ accountId, clientId }, allowed)),
      );
      return connections.sort((a, b) => b.since.getTime() - a.since.getTime());
    },
    async revoke({ accountId, clientId }, { address, requestId = null }) {
      // Remembered consents first, because new grants are created from them.
      await consents.remove({ accountId, clientId });
      const grants = await findGrants(accountId);
      const ofClient = grants.filter((grant) => grant.clientId === clientId);
      for (const { key } of ofClient) await artifacts.revokeGrant(key, now());
      const base = { actor: accountId, accountId, clientId, address, requestId };
      await options.audit.record({ ...base, type: 'grant.revoked', at: now(), details: {} });
    },
  };
}

function scopesOf({ openid, resources = {} }: GrantPayload): readonly string[] {
  const scopes = [openid?.scope, ...Object.values(resources)].flatMap((scope) => scope?.split(' ') ?? []);
  return [...scopes, ...scopesOfClaims(openid?.claims ?? [])];
}
