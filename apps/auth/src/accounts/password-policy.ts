import type { FieldError } from '@keydesk/http';
import { normalise } from './password-hasher.ts';

export interface PasswordPolicyOptions {
  /** In code points. NIST SP 800-63B asks for 8 at least; its fourth revision for 15 where nothing else is asked for. */
  minLength: number;
  /** In lower case. */
  commonPasswords: ReadonlySet<string>;
  /** Names of the service, which are the first to be tried. */
  serviceNames: readonly string[];
}

/** Decides which passwords may be chosen. No rule asks for kinds of characters (NIST SP 800-63B §5.1.1.2). */
export interface PasswordPolicy {
  readonly minLength: number;
  readonly maxLength: number;
  /** Every reason not to take the password for the account of that address. */
  faultsOf(password: string, email: string): FieldError[];
}

/** In code points. NIST asks for 64 at least; the bound keeps a megabyte from being hashed. */
export const MAX_PASSWORD_LENGTH = 256;
/** `1212121212` is long, and nothing else. */
const MIN_DISTINCT_CHARACTERS = 5;
/** Crackers put digits and signs around common words before they try anything else. */
const MAX_DECORATION = 6;
const decoration = /^[^\p{L}]+|[^\p{L}]+$/gu;
const separator = /[^\p{L}\p{N}]+/gu;

export function createPasswordPolicy(options: PasswordPolicyOptions): PasswordPolicy {
  const { minLength, commonPasswords, serviceNames } = options;

  function findGuess(password: string, email: string): FieldError[] {
    const names = [...email.split('@'), ...serviceNames].flatMap(wordsOf);
    const expected = new Set([email, ...names.flatMap(guessesOf)]);
    const guesses = guessesOf(password);
    if (guesses.some((guess) => expected.has(guess)))
      return [fault('too_personal', 'is made of the address of the account or the name of the service')];
    if (guesses.some((guess) => commonPasswords.has(guess)))
      return [fault('too_common', 'is among the first that attackers try')];
    return [];
  }

  return {
    minLength,
    maxLength: MAX_PASSWORD_LENGTH,
    faultsOf(password, email) {
      if (isTooLong(password))
        return [fault('too_long', `must have at most ${MAX_PASSWORD_LENGTH} characters`)];
      const characters = [...normalise(password)];
      const isShort = characters.length < minLength;
      const minDistinct = Math.min(MIN_DISTINCT_CHARACTERS, characters.length);
      return [
        ...(isShort ? [fault('too_short', `must have at least ${minLength} characters`)] : []),
        ...(new Set(characters).size < minDistinct
          ? [fault('too_simple', 'must not repeat the same few characters')]
          : findGuess(characters.join(''), email)),
      ];
    },
  };
}

/** Whether a password is longer than any that could have been chosen, told before any work is done on it. */
export function isTooLong(password: string): boolean {
  return password.length > 2 * MAX_PASSWORD_LENGTH || [...normalise(password)].length > MAX_PASSWORD_LENGTH;
}

/** What a cracker would have had to try: the password, and the word that it is when its decoration is taken off. */
function guessesOf(password: string): string[] {
  const whole = password.toLowerCase();
  const core = whole.replaceAll(decoration, '');
  if (core === '' || whole.length - core.length > MAX_DECORATION) return [whole];
  return [whole, core, core.replaceAll(separator, '')];
}

/** A name as it may be typed: in one piece, and each of its words. */
function wordsOf(name: string): string[] {
  const words = name.toLowerCase().split(separator);
  return [...words, words.join('')].filter((word) => word.length > 2);
}

function fault(code: string, message: string): FieldError {
  return { field: 'password', code, message };
}
