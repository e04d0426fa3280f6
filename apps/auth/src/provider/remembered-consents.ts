import { hash } from 'node:crypto';
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { Sealer } from '../keys/sealing.ts';
import type { Artifact, ArtifactStore } from './artifact-store.ts';
import { isVerified } from './client-metadata.ts';

export interface RememberedConsentsOptions {
  artifacts: Pick<ArtifactStore, 'find' | 'findOfAccount' | 'upsert' | 'destroy'>;
  sealer: Sealer;
  /** Milliseconds since the epoch. */
  clock: () => number;
}

/**
 * What people have allowed verified clients, beyond the session that they did it in. A grant ends with its session or
 * at log-out, and ends with it what was issued under it; so the memory is apart from all grants. It goes with
 * everything else of the account or the client when either is revoked.
 */
export interface RememberedConsents {
  /** Keeps what a grant says, beside what was allowed before. */
  remember(grant: Grant): Promise<void>;
  /** What somebody would not be asked again: by client, with when it was allowed last. */
  list(accountId: string): Promise<readonly RememberedConsent[]>;
  /** Forgets what somebody allowed a client, who takes it back. */
  forget(consent: Consent): Promise<void>;
  /**
   * The grant that an authorization request begins with (`loadExistingGrant` of the library): that of the session,
   * and for a verified client with all that was ever allowed in any other. More than that has to be asked for.
   */
  loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined>;
}

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
/** As long as a grant lives: who has not been asked for a year is asked again. */
const TTL_MS = 365 * 86_400_000;

export function createRememberedConsents(options: RememberedConsentsOptions): RememberedConsents {
  const { artifacts, sealer, clock } = options;

  function open({ key, payload }: Pick<Artifact, 'key' | 'payload'>): Partial<Allowed> {
    return JSON.parse(Buffer.from(sealer.open(payload, placeOf(key))).toString());
  }

  async function recall(key: string): Promise<Partial<Allowed>> {
    const found = await artifacts.find(MODEL, key, new Date(clock()));
    return found ? open(found) : {};
  }

  return {
    async remember(grant) {
      const { accountId, clientId } = grant;
      const key = keyOf(grant);
      const allowed = toUnion(await recall(key), allowedBy(grant));
      await artifacts.upsert({
        model: MODEL,
        key,
        payload: sealer.seal(Buffer.from(JSON.stringify(allowed)), placeOf(key)),
        expiresAt: new Date(clock() + TTL_MS),
        accountId,
        clientId,
      });
    },
    async list(accountId) {
      const found = await artifacts.findOfAccount(MODEL, accountId, new Date(clock()));
      return found.map((artifact) => ({
        clientId: artifact.clientId ?? '',
        scopes: scopesOf(open(artifact)),
        at: new Date((artifact.expiresAt?.getTime() ?? clock()) - TTL_MS),
      }));
    },
    forget: (consent) => artifacts.destroy(MODEL, keyOf(consent)),
    async loadGrant({ oidc }) {
      const { client, account, provider } = oidc;
      if (!client || !account) return undefined;
      const owner = { accountId: account.accountId, clientId: client.clientId };
      const grantId = oidc.result?.consent?.grantId ?? oidc.session?.grantIdFor(client.clientId);
      const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId);
      if (!isVerified(client)) return existing;
      const remembered = await recall(keyOf(owner));
      const grant = existing ?? new provider.Grant(owner);
      if (!extend(grant, remembered)) return existing;
      await grant.save();
      return grant;
    },
  };
}

function keyOf({ accountId, clientId }: Pick<Grant, 'accountId' | 'clientId'>): string {
  return hash('sha256', JSON.stringify([accountId, clientId]), 'base64url');
}

function placeOf(key: string): string {
  return `${MODEL}:${key}`;
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

function scopesOf(allowed: Partial<Allowed>): readonly string[] {
  return Object.entries(allowed).flatMap(([kind, words = []]) => (kind === 'claims' ? [] : words));
}

function toUnion(before: Partial<Allowed>, now: Partial<Allowed>): Partial<Allowed> {
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
