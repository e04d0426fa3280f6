import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { UpstreamSession } from '../accounts/account/authentication.ts';
import { toArtifactKey } from './artifact-key.ts';
import type { Artifact, ArtifactStore } from './artifact-store.ts';

/** Member of sessions that oidc-provider's types omit. */
const UPSTREAM_MEMBER = 'upstream';
/** Index of sessions by the `sid` of a provider, because its log-out may name no user. */
const INDEX_MODEL = 'UpstreamSession';

/** Stores in sessions the session at another provider that opened them, to accept its log-out later. */
export function storeUpstreamSessions(provider: Provider): void {
  const { Session: model } = provider;
  Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, UPSTREAM_MEMBER] });
  provider.on('interaction.ended', bindSession);
}

/** Copies it from the interaction result to the session; oidc-provider copies only some members. */
function bindSession({ oidc: { result, session } }: KoaContextWithOIDC): void {
  if (session && result?.login) setUpstreamSession(session, findUpstreamSession(result.login));
}

/** Sets the provider's session. A later sign-in by other means keeps it, because its log-out still counts. */
export function setUpstreamSession(session: object, upstream: UpstreamSession | undefined): void {
  if (upstream) Object.assign(session, { [UPSTREAM_MEMBER]: upstream });
}

/** Returns the provider's session of a session, its payload, or the result of an interaction. */
export function findUpstreamSession(session: object): UpstreamSession | undefined {
  return UPSTREAM_MEMBER in session ? (session[UPSTREAM_MEMBER] as UpstreamSession | undefined) : undefined;
}

/** Keeps the index of a stored session up to date; it lives as long as the session. */
export async function indexUpstreamSession(
  artifacts: Pick<ArtifactStore, 'upsert'>,
  { model, accountId, expiresAt }: Artifact,
  payload: object,
): Promise<void> {
  const upstream = model === 'Session' ? findUpstreamSession(payload) : undefined;
  if (upstream?.sid === undefined) return;
  const key = toIndexKey(upstream.issuer, upstream.sid);
  await artifacts.upsert({ model: INDEX_MODEL, key, payload: new Uint8Array(), accountId, expiresAt });
}

/** Finds the account with sessions that the provider's session `sid` opened. */
export async function findAccountByUpstreamSid(
  artifacts: Pick<ArtifactStore, 'find'>,
  { issuer, sid }: { issuer: string; sid: string },
  now: Date,
): Promise<string | undefined> {
  return (await artifacts.find(INDEX_MODEL, toIndexKey(issuer, sid), now))?.accountId;
}

function toIndexKey(issuer: string, sid: string): string {
  return toArtifactKey(JSON.stringify([issuer, sid]));
}
