import type { CheckMailView } from '../pages/views/sign-in.ts';
import { withReturnTo } from './local-path.ts';
import { paths } from './paths.ts';
import { createSignedCookie, type SignedCookie } from './signed-cookie.ts';

/** A mail that the person at this browser waits for. */
export interface PendingMail {
  purpose: CheckMailView['purpose'];
  /** As it was typed. Whether there is such an account is nowhere told. */
  email: string;
  /** Where they were going when they had to wait. */
  returnTo?: string | undefined;
}

export type PendingMails = SignedCookie<PendingMail>;

const ONE_HOUR_MS = 3_600_000;

export function createPendingMails(cookie: string): PendingMails {
  return createSignedCookie<PendingMail>(cookie, ONE_HOUR_MS);
}

/** Where somebody signs in who was going to a page of ours: an interaction has a sign-in page of its own. */
export function signInPathFor(returnTo: string | undefined): string {
  return returnTo?.startsWith('/interaction/') ? returnTo : withReturnTo(paths.signIn, returnTo);
}
