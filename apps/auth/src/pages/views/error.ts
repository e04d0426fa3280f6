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
  /** What OAuth calls it, for whoever makes the application. */
  oauth?: { error: string; description?: string | undefined } | undefined;
  /** What the person can do next, the best first. */
  actions?: readonly ErrorAction[] | undefined;
}

export type ErrorAction =
  | { to: 'retry' | 'sign_in' | 'sign_out' | 'other_account' | 'new_link' | 'account'; href: string }
  | { to: 'application'; href: string; application: string };
