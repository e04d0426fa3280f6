import type { UpstreamSession } from '../accounts/account/authentication.ts';
import { toArtifactKey } from './artifact-key.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { markOnce } from './mark.ts';

/** Log-out at another provider: of the session `sid`, or of all sessions of its user. */
export interface UpstreamLogOutRecord {
  issuer: string;
  subject?: string | undefined;
  sid?: string | undefined;
  /** Whether the provider signed it; any client could have sent an unsigned one. */
  isProven: boolean;
}

/** Model of the marks of a provider's sessions to which sign-ins in progress refer. */
const SIGN_IN_MODEL = 'UpstreamSignIn';
const LOG_OUT_MODEL = 'UpstreamLogOut';
/** Longer than a sign-in takes: the interaction, its second factor, and the redirects in between. */
const RETENTION_MS = 5_400_000;

const retainUntil = (now: Date) => new Date(now.getTime() + RETENTION_MS);

/** Returns the provider's session of a sign-in; from now on its log-out ends the sign-in. */
export async function startUpstreamSession(
  artifacts: Pick<ArtifactStore, 'insertOnce'>,
  { issuer, subject, sid }: Pick<UpstreamSession, 'issuer' | 'subject' | 'sid'>,
  now: Date,
): Promise<UpstreamSession> {
  if (sid !== undefined) {
    const id = JSON.stringify([issuer, sid]);
    await markOnce(artifacts, { model: SIGN_IN_MODEL, id, expiresAt: retainUntil(now) }, now);
  }
  return { issuer, subject, sid, receivedAt: now.getTime() };
}

/**
 * Stores a log-out for sign-ins in progress, which are in no store. An unsigned one is stored only if a sign-in refers
 * to its `sid`, so that an attacker cannot fill the database.
 */
export async function storeUpstreamLogOut(
  artifacts: Pick<ArtifactStore, 'find' | 'upsert'>,
  { issuer, subject, sid, isProven }: UpstreamLogOutRecord,
  now: Date,
): Promise<void> {
  const signInKey = toArtifactKey(JSON.stringify([issuer, sid]));
  if (!isProven && !(await artifacts.find(SIGN_IN_MODEL, signInKey, now))) return;
  const keys = [
    ...(sid === undefined ? [] : [toKey(issuer, 'sid', sid)]),
    ...(subject === undefined ? [] : [toKey(issuer, sid === undefined ? 'user' : 'one', subject)]),
  ];
  const payload = Buffer.from(String(now.getTime()));
  for (const key of keys)
    await artifacts.upsert({ model: LOG_OUT_MODEL, key, payload, expiresAt: retainUntil(now) });
}

/** Whether the provider has ended the session of a sign-in since it was received. */
export async function isLoggedOutUpstream(
  artifacts: Pick<ArtifactStore, 'find'>,
  { issuer, subject, sid, receivedAt }: UpstreamSession,
  now: Date,
): Promise<boolean> {
  if (receivedAt === undefined || retainUntil(new Date(receivedAt)) < now) return false;
  // A sign-in without a known `sid` ends with any session of its user.
  const ofSession = sid === undefined ? toKey(issuer, 'one', subject) : toKey(issuer, 'sid', sid);
  for (const key of [ofSession, toKey(issuer, 'user', subject)]) {
    const found = await artifacts.find(LOG_OUT_MODEL, key, now);
    if (found && Number(Buffer.from(found.payload).toString()) >= receivedAt) return true;
  }
  return false;
}

/** Key of a log-out of one session, of one that only its user names, or of all sessions of a user. */
function toKey(issuer: string, of: 'sid' | 'one' | 'user', value: string): string {
  return toArtifactKey(JSON.stringify([issuer, of, value]));
}
