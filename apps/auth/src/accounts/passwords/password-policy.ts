import { type FieldError, lazyModule } from '@keydesk/server';
import { normalizePassword } from './password-hasher.ts';

interface PasswordPolicyOptions {
  /** In code points. NIST SP 800-63B requires 8; its fourth revision requires 15 if the password is the only factor. */
  minLength: number;
  commonPasswords: CommonPasswords;
  /** Names of the service, which attackers try first. */
  serviceNames: readonly string[];
}

/** Passwords that attackers try first, in lower case. */
export type CommonPasswords = Pick<ReadonlySet<string>, 'has'>;

/** Rules for new passwords. None requires certain kinds of characters (NIST SP 800-63B §5.1.1.2). */
export interface PasswordPolicy {
  readonly minLength: number;
  readonly maxLength: number;
  /** Returns every reason to reject the password for the account of that address. */
  validate(password: string, email: string): FieldError[];
}

/** In code points. NIST requires at least 64; without a maximum, a client could have a megabyte hashed. */
export const MAX_PASSWORD_LENGTH = 256;
/** Rejects passwords such as `1212121212`. */
const MIN_DISTINCT_CHARACTERS = 5;
/** Crackers first try common words with digits and signs around them. */
const MAX_DECORATION = 6;
const decoration = /^[^\p{L}]+|[^\p{L}]+$/gu;
const separator = /[^\p{L}\p{N}]+/gu;

export function createPasswordPolicy(options: PasswordPolicyOptions): PasswordPolicy {
  const { minLength, commonPasswords, serviceNames } = options;

  function findGuess(password: string, email: string): FieldError[] {
    const names = [...email.split('@'), ...serviceNames].flatMap(toWords);
    const expected = new Set([email, ...names.flatMap(listGuesses)]);
    const guesses = listGuesses(password);
    if (guesses.some((guess) => expected.has(guess)))
      return [
        toPasswordError(
          'too_personal',
          'must not consist of the e-mail address of the account or the name of the service',
        ),
      ];
    if (guesses.some((guess) => commonPasswords.has(guess)))
      return [toPasswordError('too_common', 'is among the first passwords that attackers try')];
    return [];
  }

  return {
    minLength,
    maxLength: MAX_PASSWORD_LENGTH,
    validate(password, email) {
      if (isTooLong(password))
        return [toPasswordError('too_long', `must have at most ${MAX_PASSWORD_LENGTH} characters`)];
      const characters = [...normalizePassword(password)];
      const isShort = characters.length < minLength;
      const minDistinct = Math.min(MIN_DISTINCT_CHARACTERS, characters.length);
      return [
        ...(isShort ? [toPasswordError('too_short', `must have at least ${minLength} characters`)] : []),
        ...(new Set(characters).size < minDistinct
          ? [toPasswordError('too_simple', 'must not repeat the same few characters')]
          : findGuess(characters.join(''), email)),
      ];
    },
  };
}

/** Whether a password exceeds the maximum length. Checked before it is hashed. */
export function isTooLong(password: string): boolean {
  return (
    password.length > 2 * MAX_PASSWORD_LENGTH || [...normalizePassword(password)].length > MAX_PASSWORD_LENGTH
  );
}

/** Returns the guesses that would find the password: itself, and the word without its decoration. */
function listGuesses(password: string): string[] {
  const whole = password.toLowerCase();
  const core = whole.replaceAll(decoration, '');
  if (core === '' || whole.length - core.length > MAX_DECORATION) return [whole];
  return [whole, core, core.replaceAll(separator, '')];
}

/** Returns each word of a name, and the name without spaces. */
function toWords(name: string): string[] {
  const words = name.toLowerCase().split(separator);
  return [...words, words.join('')].filter((word) => word.length > 2);
}

function toPasswordError(code: string, message: string): FieldError {
  return { field: 'password', code, message };
}

/** Shortest password of the list that is loaded. The policy rejects shorter ones by length. */
const MIN_LENGTH = 4;

const loadLists = lazyModule<typeof import('@zxcvbn-ts/language-common')>(
  '@zxcvbn-ts/language-common',
  import.meta.url,
);

/**
 * Returns the most common passwords. The 49,000 entries take 100 ms and 4 MB of heap, so they are loaded with the first
 * new password.
 */
export function createCommonPasswords(): CommonPasswords {
  let entries: ReadonlySet<string> | undefined;
  function load(): ReadonlySet<string> {
    const { dictionary } = loadLists();
    return new Set(dictionary['passwords-common'].filter(({ length }) => length >= MIN_LENGTH));
  }
  return {
    has(word) {
      entries ??= load();
      return entries.has(word);
    },
  };
}
