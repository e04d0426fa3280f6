import { hash } from 'node:crypto';
import type { Client, Grant, KoaContextWithOIDC } from 'oidc-provider';
import { type Account, scopesOfClaims } from '../../accounts/account/account.ts';
import { openPayload, sealPayload } from '../../artifacts/artifact-payload.ts';
import type { Artifact, ArtifactStore } from '../../artifacts/artifact-store.ts';
import { createGrant, findCredentialEpoch, findGrant } from '../../artifacts/credential-epochs.ts';
import { type ClientIdentity, changesIdentity } from '../../clients/client-rules.ts';
import type { ClientStore } from '../../clients/client-store.ts';
import type { Sealer } from '../../keys/sealing.ts';
import { identityOf, isVerified, ownerOf } from '../clients/client-metadata.ts';

export interface RememberedConsentsOptions {
  artifacts: Pick<ArtifactStore, 'find' | 'findByAccount' | 'upsert' | 'destroy'>;
  clients: Pick<ClientStore, 'find'>;
  sealer: Sealer;
  now: () => Date;
}

/**
 * Consents to verified clients that outlive the session they were given in. A grant ends with its session or at
 * log-out, together with everything issued under it, so consents are stored apart. They are deleted with everything
 * else of the account or client when either is revoked. Each record holds the identity of the client at that time. If
 * its developer turns it into another application, even a verified one, authorization requests use neither consent nor
 * grant.
 */
export interface RememberedConsents {
  /** Stores the current identity of the client and, if it is verified, adds the grant to what was allowed before. */
  remember(grant: Grant, client: Client): Promise<void>;
  /** Returns the consents that need no new prompt, with the time each was last given. */
  list(account: ConsentOwner): Promise<readonly RememberedConsent[]>;
  /** Deletes a consent that the user has withdrawn. */
  remove(consent: Consent): Promise<void>;
  /**
   * Loads the grant that an authorization request starts with (`loadExistingGrant` of oidc-provider). It is the grant
   * of the session, unless the client was another application then. For a verified client it includes everything
   * allowed in other sessions. Anything beyond needs consent.
   */
  loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined>;
}

/** An account as currently stored; consents given before its sign-ins were ended do not apply. */
export type ConsentOwner = Pick<Account, 'id' | 'credentialEpoch'>;

/** Account and client of a consent. */
export interface Consent {
  accountId: string;
  clientId: string;
}

export interface RememberedConsent {
  clientId: string;
  scopes: readonly string[];
  at: Date;
}

/** Allowed values by kind: user scopes, claims, and the scopes of each resource server. */
type Allowed = Record<'scopes' | 'claims' | `resource ${string}`, readonly string[]>;

const MODEL = 'RememberedConsent';
/** Stored record: the allowed values, with the identity of the client and the credential epoch of the account. */
type StoredConsent = Partial<Allowed> & { identity?: ClientIdentity; credentialEpoch?: number };

/** Lifetime of a grant: after a year without a prompt consent is requested again. */
const TTL_MS = 365 * 86_400_000;

export function createRememberedConsents(options: RememberedConsentsOptions): RememberedConsents {
  const { artifacts, sealer, now } = options;

  /** Loads the allowed values: none given before sign-ins were ended, `undefined` for another application. */
  async function load(key: string, client: Client, epoch: number): Promise<Partial<Allowed> | undefined> {
    const found = await artifacts.find(MODEL, key, now());
    const remembered: StoredConsent = found ? openPayload(sealer, found) : {};
    const { identity, credentialEpoch: _, ...allowed } = remembered;
    if (!isSameApplication({ ...identityOf(client), owner: ownerOf(client) }, identity)) return undefined;
    return findCredentialEpoch(remembered) === epoch ? allowed : {};
  }

  async function isCurrent({ clientId = '' }: Artifact, { identity }: StoredConsent): Promise<boolean> {
    const client = await options.clients.find(clientId);
    return client?.isVerified === true && isSameApplication(client, identity);
  }

  return {
    async remember(grant, client) {
      const { accountId, clientId } = grant;
      const key = keyOf(grant);
      const credentialEpoch = findCredentialEpoch(grant);
      const before = isVerified(client) ? await load(key, client, credentialEpoch) : undefined;
      const allowed = isVerified(client) ? mergeAllowed(before, allowedBy(grant)) : {};
      const remembered: StoredConsent = { ...allowed, identity: identityOf(client), credentialEpoch };
      await artifacts.upsert({
        model: MODEL,
        key,
        payload: sealPayload(sealer, { model: MODEL, key }, remembered),
        expiresAt: new Date(now().getTime() + TTL_MS),
        accountId,
        clientId,
      });
    },
    async list({ id, credentialEpoch }) {
      const found = await artifacts.findByAccount(MODEL, id, now());
      const consents: RememberedConsent[] = [];
      for (const artifact of found) {
        const remembered = openPayload<StoredConsent>(sealer, artifact);
        const at = new Date((artifact.expiresAt?.getTime() ?? now().getTime()) - TTL_MS);
        if (findCredentialEpoch(remembered) === credentialEpoch && (await isCurrent(artifact, remembered)))
          consents.push({ clientId: artifact.clientId ?? '', scopes: scopesIn(remembered), at });
      }
      return consents;
    },
    remove: (consent) => artifacts.destroy(MODEL, keyOf(consent)),
    async loadGrant({ oidc }) {
      const { client, account, session, provider } = oidc;
      if (!client || !account || !session) return undefined;
      const credentialEpoch = findCredentialEpoch(session);
      const owner = { accountId: account.accountId, clientId: client.clientId };
      const grantId = oidc.result?.consent?.grantId ?? session.grantIdFor(client.clientId);
      const existing = await findGrant(provider, grantId, credentialEpoch);
      const remembered = await load(keyOf(owner), client, credentialEpoch);
      if (!remembered) return undefined;
      if (!isVerified(client)) return existing;
      const grant = existing ?? createGrant(provider, owner, { credentialEpoch, sessionUid: session.uid });
      if (!addMissing(grant, remembered)) return existing;
      await grant.save();
      return grant;
    },
  };
}

function keyOf({ accountId, clientId }: Pick<Grant, 'accountId' | 'clientId'>): string {
  return hash('sha256', JSON.stringify([accountId, clientId]), 'base64url');
}

function allowedBy(grant: Grant): Partial<Allowed> {
  const resources = Object.keys(grant.resources ?? {}).map((resource) => [
    `resource ${resource}`,
    toWords(grant.getResourceScope(resource)),
  ]);
  return {
    scopes: toWords(grant.getOIDCScope()),
    claims: grant.getOIDCClaims(),
    ...Object.fromEntries(resources),
  };
}

/** Whether the client is still the same application. The operator's own may change its name. */
function isSameApplication(
  client: ClientIdentity & { owner: string | null },
  identity: ClientIdentity | undefined,
): boolean {
  return client.owner === null || (identity !== undefined && !changesIdentity(identity, client));
}

function scopesIn({ identity: _, credentialEpoch: __, ...allowed }: StoredConsent): readonly string[] {
  return Object.entries(allowed).flatMap(([kind, words = []]) =>
    kind === 'claims' ? scopesOfClaims(words) : words,
  );
}

function mergeAllowed(before: Partial<Allowed> = {}, now: Partial<Allowed>): Partial<Allowed> {
  const kinds = [...Object.keys(before), ...Object.keys(now)] as (keyof Allowed)[];
  return Object.fromEntries(
    kinds.map((kind) => [kind, [...new Set([...(before[kind] ?? []), ...(now[kind] ?? [])])]]),
  );
}

/** Adds the missing values to a grant; `false` if none were missing. */
function addMissing(grant: Grant, allowed: Partial<Allowed>): boolean {
  const present = allowedBy(grant);
  const lacking = (Object.keys(allowed) as (keyof Allowed)[])
    .map((kind) => [kind, (allowed[kind] ?? []).filter((word) => !present[kind]?.includes(word))] as const)
    .filter(([, words]) => words.length > 0);
  for (const [kind, words] of lacking) {
    if (kind === 'scopes') grant.addOIDCScope([...words]);
    else if (kind === 'claims') grant.addOIDCClaims([...words]);
    else grant.addResourceScope(kind.slice('resource '.length), [...words]);
  }
  return lacking.length > 0;
}

function toWords(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}
