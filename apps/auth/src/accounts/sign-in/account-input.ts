import type { FieldError } from '@keydesk/server';
import type { z } from 'zod';
import { parseEmail } from '../../mail/email-address.ts';
import { rejectInvalid } from '../account/account-operations.ts';
import { type Profile, profileSchema } from '../account/profile.ts';
import type { PasswordPolicy } from '../passwords/password-policy.ts';

/** Input for a new account. */
export interface AccountInput {
  /** As typed by the user. */
  email: string;
  /** Absent for an account whose owner will choose a password through a mailed link. */
  password?: string | undefined;
  name?: string | undefined;
  /** Language tag (BCP 47) of the user's mails. */
  locale?: string | undefined;
}

/** @throws {AppError} `validation_failed` with every error */
export function parseAccountInput(
  application: AccountInput,
  policy: PasswordPolicy,
): { email: string; profile: Profile } {
  rejectInvalid(validateAccountInput(application, policy));
  return { email: parseEmail(application.email) ?? '', profile: parseNameAndLocale(application).profile };
}

/** Returns the errors of the members that are present. */
export function validateAccountInput(
  application: Partial<AccountInput>,
  policy: PasswordPolicy,
): readonly FieldError[] {
  const { email: typed, password } = application;
  const email = typed === undefined ? undefined : parseEmail(typed);
  const isInvalid = typed !== undefined && email === undefined;
  return [
    ...(isInvalid ? [{ field: 'email', code: 'invalid', message: 'must be an e-mail address' }] : []),
    ...parseNameAndLocale(application).errors,
    ...(password === undefined ? [] : policy.validate(password, email ?? '')),
  ];
}

function parseNameAndLocale({ name, locale }: Partial<AccountInput>) {
  return parseProfile({ name: name || undefined, locale: locale || undefined });
}

/** @throws {AppError} `validation_failed` with every error */
export function requireProfile(input: unknown): Profile {
  const { profile, errors } = parseProfile(input);
  rejectInvalid(errors);
  return profile;
}

function parseProfile(input: unknown): { profile: Profile; errors: FieldError[] } {
  const parsed = profileSchema.safeParse(input);
  if (parsed.success) return { profile: withoutUndefined(parsed.data), errors: [] };
  return { profile: {}, errors: parsed.error.issues.flatMap(toFieldErrors) };
}

function toFieldErrors({ path, message, ...issue }: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    const fields = issue.keys.map((key) => [...path, key].join('.'));
    return fields.map((field) => ({ field, code: 'invalid', message: 'is not a profile claim' }));
  }
  const code = issue.code === 'too_big' ? 'too_long' : 'invalid';
  return [{ field: path.join('.') || 'profile', code, message }];
}

/** Removes members that are `undefined`, because stores differ in how they return them. */
function withoutUndefined<T extends object>(members: T): T {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  const nested = present.map(([name, value]) => [
    name,
    typeof value === 'object' ? withoutUndefined(value) : value,
  ]);
  return Object.fromEntries(nested);
}
