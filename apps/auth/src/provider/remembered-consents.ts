import { hash } from 'node:crypto';
import type { Client, Grant, KoaContextWithOIDC } from 'oidc-provider';
import { type Account, scopesOfClaims } from '../accounts/account.ts';
import { type ClientIdentity, changesIdentity } from '../clients/client-rules.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Sealer } from '../keys/sealing.ts';
import { openPayload, sealPayload } from './artifact-payload.ts';
import type { Artifact, ArtifactStore } from './artifact-store.ts';
import { identityOf, isVerified, ownerOf } from './client-metadata.ts';
import { createGrant, credentialEpochOf, findGrant } from './credential-epochs.ts';

export interface RememberedConsentsOptions {
  artifacts: Pick<ArtifactStore, 'find' | 'findOfAccount' | 'upsert' | 'destroy'>;
  clients: Pick<ClientStore, 'find'>;
  sealer: Sealer;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/**
 * What people have allowed verified clients, beyond the session that they did it in. A grant ends with its session or
 * at log-out, and ends with it what was issued under it; so the memory is apart from all grants. It goes with
 * everything else of the account or the client when either is revoked. Of every client it has what the client was when it
 * was allowed something: once its developer has made another application of it, which may be verified as well, neither
 * memory nor grant is worth anything in an authorization request.
 */
export interface RememberedConsents {
  /** Keeps what the client is now, and if it is verified what a grant says, beside what it was allowed before. */
  remember(grant: Grant, client: Client): Promise<void>;
  /** What somebody would not be asked again: by client, with when it was allowed last. */
  list(account: ConsentOwner): Promise<readonly RememberedConsent[]>;
  /** Forgets what somebody allowed a client, who takes it back. */
  forget(consent: Consent): Promise<void>;
  /**
   * The grant that an authorization request begins with (`loadExistingGrant` of the library): that of the session,
   * unless the client was another application then, and for a verified client with all that was ever allowed in any
   * other. More than that has to be asked for.
   */
  loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined>;
}

/** An account as it is stored right now: what it allowed before its sign-ins ended is worth nothing. */
export type ConsentOwner = Pick<Account, 'id' | 'credentialEpoch'>;

/** Whose consent to which client. */
export interface Consent {
  accountId: string;
  clientId: string;
}

export interface RememberedConsent {
  clientId: string;
  scopes: readonly string[];
  at: Date;
}

/** Texts of one kind: scopes about people, claims, and the scopes of each resource server. */
type Allowed = Record<'scopes' | 'claims' | `resource ${string}`, readonly string[]>;

const MODEL = 'RememberedConsent';
/** As it is kept: with what the client was when it was allowed that, and the credential epoch of whoever did. */
type Remembered = Partial<Allowed> & { identity?: ClientIdentity; credentialEpoch?: number };

/** As long as a grant lives: who has not been asked for a year is asked again. */
const TTL_MS = 365 * 86_400_000;

export function createRememberedConsents(options: RememberedConsentsOptions): RememberedConsents {
  const { artifacts, sealer, clock } = options;

  /** Nothing when the client was another application then; nothing allowed before the sign-ins of the account ended. */
  async function recall(key: string, client: Client, epoch: number): Promise<Partial<Allowed> | undefined> {
    const found = await artifacts.find(MODEL, key, new Date(clock()));
    const remembered: Remembered = found ? openPayload(sealer, found) : {};
    const { identity, credentialEpoch: _, ...allowed } = remembered;
    if (!isSame({ ...identityOf(client), owner: ownerOf(client) }, identity)) return undefined;
    return credentialEpochOf(remembered) === epoch ? allowed : {};
  }

  async function counts({ clientId = '' }: Artifact, { identity }: Remembered): Promise<boolean> {
    const client = await options.clients.find(clientId);
    return client?.isVerified === true && isSame(client, identity);
  }

  return {
    async remember(grant, client) {
      const { accountId, clientId } = grant;
      const key = keyOf(grant);
      const credentialEpoch = credentialEpochOf(grant);
      const before = isVerified(client) ? await recall(key, client, credentialEpoch) : undefined;
      const allowed = isVerified(client) ? toUnion(before, allowedBy(grant)) : {};
      const remembered: Remembered = { ...allowed, identity: identityOf(client), credentialEpoch };
      await artifacts.upsert({
        model: MODEL,
        key,
        payload: sealPayload(sealer, { model: MODEL, key }, remembered),
        expiresAt: new Date(clock() + TTL_MS),
        accountId,
        clientId,
      });
    },
    async list({ id, credentialEpoch }) {
      const found = await artifacts.findOfAccount(MODEL, id, new Date(clock()));
      const consents: RememberedConsent[] = [];
      for (const artifact of found) {
        const remembered = openPayload<Remembered>(sealer, artifact);
        const at = new Date((artifact.expiresAt?.getTime() ?? clock()) - TTL_MS);
        if (credentialEpochOf(remembered) === credentialEpoch && (await counts(artifact, remembered)))
          consents.push({ clientId: artifact.clientId ?? '', scopes: scopesIn(remembered), at });
      }
      return consents;
    },
    forget: (consent) => artifacts.destroy(MODEL, keyOf(consent)),
    async loadGrant({ oidc }) {
      const { client, account, session, provider } = oidc;
      if (!client || !account || !session) return undefined;
      const credentialEpoch = credentialEpochOf(session);
      const owner = { accountId: account.accountId, clientId: client.clientId };
      const grantId = oidc.result?.consent?.grantId ?? session.grantIdFor(client.clientId);
      const existing = await findGrant(provider, grantId, credentialEpoch);
      const remembered = await recall(keyOf(owner), client, credentialEpoch);
      if (!remembered) return undefined;
      if (!isVerified(client)) return existing;
      const grant = existing ?? createGrant(provider, owner, credentialEpoch);
      if (!extend(grant, remembered)) return existing;
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

/** Whether the client is what it was then. One of the operator's own stays it under another name, too. */
function isSame(
  client: ClientIdentity & { owner: string | null },
  identity: ClientIdentity | undefined,
): boolean {
  return client.owner === null || (identity !== undefined && !changesIdentity(identity, client));
}

function scopesIn({ identity: _, credentialEpoch: __, ...allowed }: Remembered): readonly string[] {
  return Object.entries(allowed).flatMap(([kind, words = []]) =>
    kind === 'claims' ? scopesOfClaims(words) : words,
  );
}

function toUnion(before: Partial<Allowed> = {}, now: Partial<Allowed>): Partial<Allowed> {
  const kinds = [...Object.keys(before), ...Object.keys(now)] as (keyof Allowed)[];
  return Object.fromEntries(
    kinds.map((kind) => [kind, [...new Set([...(before[kind] ?? []), ...(now[kind] ?? [])])]]),
  );
}

/** Adds to a grant what it lacks; `false` when it lacks nothing. */
function extend(grant: Grant, allowed: Partial<Allowed>): boolean {
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
