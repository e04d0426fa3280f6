import type { MessageKey } from '../messages.ts';

/** Kinds of error pages. */
export type ErrorVariant =
  Extract<MessageKey, `error.${string}.title`> extends `error.${infer Variant}.title` ? Variant : never;

export interface ErrorView {
  variant: ErrorVariant;
  /** Seconds until a retry can succeed, if known. */
  retryAfterSeconds?: number | undefined;
  /** Id of the request in the log. */
  requestId?: string | undefined;
  /** OAuth error and request, shown to developers of the application. */
  oauth?: OAuthDetails | undefined;
  /** Actions that the page offers, the best first. */
  actions?: readonly ErrorAction[] | undefined;
}

export interface OAuthDetails {
  error: string;
  description?: string | undefined;
  clientId?: string | undefined;
  /** Redirect URI of the request. */
  redirectUri?: string | undefined;
}

export type ErrorAction =
  | { to: 'retry' | 'sign_in' | 'sign_out' | 'other_account' | 'new_link' | 'account'; href: string }
  | { to: 'application'; href: string; application: string };
