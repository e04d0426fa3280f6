import type { MessageKey } from '../messages.ts';

/** What a person can run into. */
export type ErrorVariant =
  Extract<MessageKey, `error.${string}.title`> extends `error.${infer Variant}.title` ? Variant : never;

export interface ErrorView {
  variant: ErrorVariant;
  /** How long to wait, when that is known. */
  retryAfterSeconds?: number | undefined;
  /** To find the request in the log. */
  requestId?: string | undefined;
  /** What OAuth calls it, and of which request, for whoever makes the application. */
  oauth?: OAuthDetails | undefined;
  /** What the person can do next, the best first. */
  actions?: readonly ErrorAction[] | undefined;
}

export interface OAuthDetails {
  error: string;
  description?: string | undefined;
  clientId?: string | undefined;
  /** Where the application wanted the person back. */
  redirectUri?: string | undefined;
}

export type ErrorAction =
  | { to: 'retry' | 'sign_in' | 'sign_out' | 'other_account' | 'new_link' | 'account'; href: string }
  | { to: 'application'; href: string; application: string };
