import { z } from 'zod';
import { isLineOfText } from '../../values/line-of-text.ts';

/** Maximum length of names and similar texts, in characters. */
export const MAX_TEXT = 200;
const MAX_URL = 2_000;

const anyText = z.string('must be text');
const text = anyText.trim().max(MAX_TEXT, `must have at most ${MAX_TEXT} characters`);
const lineOfText = text.refine(isLineOfText, 'must be one line of text');
const linesOfText = text.min(1, 'must not be empty').regex(/^[\P{Cc}\r\n]*$/u, 'must be text');
const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(MAX_URL, `must have at most ${MAX_URL} characters`);

const anObject = 'must be an object';

const addressSchema = z.strictObject(
  {
    formatted: linesOfText.optional(),
    street_address: linesOfText.optional(),
    locality: lineOfText.optional(),
    region: lineOfText.optional(),
    postal_code: lineOfText.optional(),
    country: lineOfText.optional(),
  },
  anObject,
);

/**
 * Schema of a user's profile, with the claim names of OpenID Connect Core §5.1. Claims that the server asserts itself
 * (`email`, `email_verified`, `phone_number_verified`, `updated_at`) are not part of it.
 */
export const profileSchema = z
  .strictObject(
    {
      name: lineOfText.optional(),
      given_name: lineOfText.optional(),
      family_name: lineOfText.optional(),
      middle_name: lineOfText.optional(),
      nickname: lineOfText.optional(),
      preferred_username: lineOfText.optional(),
      profile: webUrl.optional(),
      picture: webUrl.optional(),
      website: webUrl.optional(),
      gender: lineOfText.optional(),
      birthdate: anyText
        .regex(/^\d{4}(-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))?$/, 'must be YYYY-MM-DD, 0000-MM-DD or YYYY')
        .optional(),
      zoneinfo: anyText.refine(isTimeZone, 'must be a time zone, such as Europe/Berlin').optional(),
      locale: anyText.refine(isLocale, 'must be a language tag, such as en-GB').optional(),
      phone_number: anyText
        .regex(/^\+[1-9]\d{6,14}$/, 'must be in international form (E.164), such as +441632960001')
        .optional(),
      address: addressSchema.optional(),
    },
    anObject,
  )
  .readonly();

export type Profile = z.output<typeof profileSchema>;

function isTimeZone(text: string): boolean {
  return succeeds(() => new Intl.DateTimeFormat('en', { timeZone: text }));
}

function isLocale(text: string): boolean {
  return succeeds(() => Intl.getCanonicalLocales(text));
}

/** `Intl` throws a `RangeError` for an unknown name. */
function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
