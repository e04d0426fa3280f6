import type { FieldError } from '@keydesk/http';
import type { z } from 'zod';
import { parseEmail } from '../mail/email-address.ts';
import { requireFaultless } from './account-steps.ts';
import type { PasswordPolicy } from './password-policy.ts';
import { type Profile, profileSchema } from './profile.ts';

/** What is told about a person who is to have an account. */
export interface Application {
  /** As it was typed. */
  email: string;
  /** Absent for an account whose owner will choose one by mail. */
  password?: string | undefined;
  name?: string | undefined;
  /** Language tag (BCP 47); mails come in it. */
  locale?: string | undefined;
}

/** @throws {AppError} `validation_failed` naming every fault */
export function readApplication(
  application: Application,
  policy: PasswordPolicy,
): { email: string; profile: Profile } {
  requireFaultless(faultsOfApplication(application, policy));
  return { email: parseEmail(application.email) ?? '', profile: parseNames(application).profile };
}

/** Every fault of the members that are present. */
export function faultsOfApplication(
  application: Partial<Application>,
  policy: PasswordPolicy,
): readonly FieldError[] {
  const { email: typed, password } = application;
  const email = typed === undefined ? undefined : parseEmail(typed);
  const isInvalid = typed !== undefined && email === undefined;
  return [
    ...(isInvalid ? [{ field: 'email', code: 'invalid', message: 'must be an e-mail address' }] : []),
    ...parseNames(application).errors,
    ...(password === undefined ? [] : policy.faultsOf(password, email ?? '')),
  ];
}

function parseNames({ name, locale }: Partial<Application>) {
  return parseProfile({ name: name || undefined, locale: locale || undefined });
}

/** @throws {AppError} `validation_failed` naming every fault */
export function readProfile(input: unknown): Profile {
  const { profile, errors } = parseProfile(input);
  requireFaultless(errors);
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
    return fields.map((field) => ({ field, code: 'invalid', message: 'is no claim of a profile' }));
  }
  const code = issue.code === 'too_big' ? 'too_long' : 'invalid';
  return [{ field: path.join('.') || 'profile', code, message }];
}

/** What is not told is absent, on every store. */
function withoutUndefined<T extends object>(members: T): T {
  const told = Object.entries(members).filter(([, value]) => value !== undefined);
  const nested = told.map(([name, value]) => [
    name,
    typeof value === 'object' ? withoutUndefined(value) : value,
  ]);
  return Object.fromEntries(nested);
}
