import type { CheckMailView } from '../../pages/views/sign-in.ts';
import { paths } from './account-paths.ts';
import { createSignedCookie, type SignedCookie } from './cookies/signed-cookie.ts';
import { withReturnTo } from './local-path.ts';

/** Mail that the user of this browser is waiting for. */
export interface PendingMail {
  purpose: CheckMailView['purpose'];
  /** As typed by the user; never disclosed whether such an account exists. */
  email: string;
  /** Page to return to afterwards. */
  returnTo?: string | undefined;
}

export type PendingMails = SignedCookie<PendingMail>;

const ONE_HOUR_MS = 3_600_000;

export function createPendingMails(cookie: string): PendingMails {
  return createSignedCookie<PendingMail>(cookie, ONE_HOUR_MS);
}

/** Returns the sign-in page that leads to a page. An interaction has a sign-in page of its own. */
export function signInPathFor(returnTo: string | undefined): string {
  return returnTo?.startsWith('/interaction/') ? returnTo : withReturnTo(paths.signIn, returnTo);
}
