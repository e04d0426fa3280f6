import type { Language } from '../pages/language.ts';
import { english } from './english-texts.ts';
import { german } from './german-texts.ts';

/** Texts of all mails in all languages. `composeMail` replaces placeholders such as `{service}` and `{email}`. */

export const messageKinds = [
  'verify_email',
  'create_passkey',
  'address_in_use',
  'reset_password',
  'password_changed',
  'password_removed',
  'second_factor_added',
  'second_factor_removed',
  'second_factor_reset',
  'recovery_code_used',
  'recovery_codes_replaced',
  'identity_linked',
  'identity_unlinked',
  'change_email',
  'email_change_requested',
  'email_changed',
  'email_change_undoable',
  'email_change_undone',
  'email_restored',
  'passkey_added',
  'passkey_removed',
  'deletion_requested',
  'deletion_cancelled',
  'new_device',
  'role_requested',
  'role_approved',
  'role_rejected',
  'verification_requested',
  'verification_approved',
  'verification_rejected',
  'application_invited',
  'co_owner_joined',
  'co_owner_removed',
  'application_handed_over',
] as const;
export type MessageKind = (typeof messageKinds)[number];

export interface MessageText {
  subject: string;
  /** Paragraphs before the link. */
  before: readonly string[];
  /** Label of the link; a mail has at most one link. */
  action?: string | undefined;
  /** Paragraphs after the link. */
  after: readonly string[];
}

export interface Catalogue {
  greeting: string;
  closing: string;
  /** Lifetime of a link, in the largest unit that gives a whole number. */
  duration: {
    /** Two or more. */
    days: string;
    hours: readonly [one: string, other: string];
    minutes: readonly [one: string, other: string];
  };
  /** Device of a sign-in. */
  device: Readonly<Record<'full' | 'browserOnly' | 'systemOnly' | 'unknown', string>>;
  messages: Readonly<Record<MessageKind, MessageText>>;
}

export const messageTexts: Readonly<Record<Language, Catalogue>> = { en: english, de: german };
