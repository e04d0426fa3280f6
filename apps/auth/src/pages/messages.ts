import { type Language, locales } from './language.ts';
import { english } from './messages/english.ts';
import { german } from './messages/german.ts';

export type MessageKey = keyof typeof english;

/** Complete translation of the catalogue; a missing or unknown key is a type error. */
export type Translation = { readonly [Key in MessageKey]: string };

export const translations: Readonly<Record<Language, Translation>> = { en: english, de: german };

type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;
type ValueOf<Format> = Format extends `${string}:duration`
  ? number
  : Format extends `${string}:date`
    ? Date
    : string | number;

/** Values of a message by placeholder: text, a number, seconds of a duration, or a date. */
export type MessageValues<Key extends MessageKey> = {
  readonly [P in Placeholder<(typeof english)[Key]> as P extends `${infer Name}:${string}`
    ? Name
    : P]: ValueOf<P>;
};

/** Values argument of a message; absent if it has no placeholders. */
type Arguments<Key extends MessageKey> = keyof MessageValues<Key> extends never
  ? []
  : [values: MessageValues<Key>];

/** Message identified by a code, such as `{ code: 'email_missing' }` for `problem.email_missing`, with its values. */
export type Coded<Prefix extends string> = {
  [Key in MessageKey as Key extends `${Prefix}.${infer Code}` ? Code : never]: CodedMessage<Prefix, Key>;
} extends infer All
  ? All[keyof All]
  : never;

type CodedMessage<Prefix extends string, Key extends MessageKey> = Key extends `${Prefix}.${infer Code}`
  ? { readonly code: Code } & (keyof MessageValues<Key> extends never
      ? unknown
      : { readonly values: MessageValues<Key> })
  : never;

/** Escapes text for HTML elements and quoted attribute values. */
export type EscapeHtml = (text: string) => string;

type Values = Readonly<Record<string, string | number | Date>>;

/** Formats messages and values in one language. */
export interface Translator {
  readonly language: Language;
  /**
   * Returns a message as plain text, not escaped.
   *
   * @throws {Error} if the catalogue lacks the message or a required value is missing
   */
  text<Key extends MessageKey>(key: Key, ...values: Arguments<Key>): string;
  /** Returns a message as escaped HTML, in which each value is emphasized and isolated (`bdi`). */
  html<Key extends MessageKey>(key: Key, ...values: Arguments<Key>): string;
  /** Formats a date, such as "31 January 2026". */
  date(date: Date): string;
  /** Formats a time to the minute, in UTC. */
  time(date: Date): string;
}

/** Creates the translator of one language. Create it once, because its `Intl` formats are expensive. */
export function createTranslator(language: Language, escapeHtml: EscapeHtml): Translator {
  const formats = createFormats(locales[language]);

  function message(key: string): string {
    const catalogue: Readonly<Record<string, string>> = translations[language];
    const found = Object.hasOwn(catalogue, key) ? catalogue[key] : undefined;
    if (found === undefined) throw new Error(`The catalogue has no message "${key}" in "${language}".`);
    return found;
  }

  function fill(template: string, values: Values, toOutput: (value: string) => string): string {
    return template.replace(/\{(\w+)(?::(\w+))?\}/g, (_, name: string, format = '') => {
      const value = values[name];
      if (value === undefined) throw new Error(`The message "${template}" needs a value for "${name}".`);
      return toOutput(formats.write(value, format));
    });
  }

  return {
    language,
    text: (key: string, values: Values = {}) => fill(message(key), values, (value) => value),
    html: (key: string, values: Values = {}) =>
      fill(escapeHtml(message(key)), values, (value) => `<strong><bdi>${escapeHtml(value)}</bdi></strong>`),
    date: formats.date,
    time: formats.time,
  };
}

function createFormats(locale: string) {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const time = (date: Date) => `${minute.format(date)} UTC`;

  return {
    date: (date: Date) => day.format(date),
    time,
    write(value: string | number | Date, format: string): string {
      if (value instanceof Date) return day.format(value);
      return format === 'duration' ? writeDuration(Number(value), locale) : String(value);
    },
  };
}

/** Units of time and their lengths in seconds. */
const durationUnits = [
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** Formats a duration, rounded up, in the largest unit that gives exactly one or at least two. */
function writeDuration(duration: number, locale: string): string {
  const { unit, seconds } = durationUnits.find(
    (one) => duration === one.seconds || duration >= 2 * one.seconds,
  ) ?? {
    unit: 'second',
    seconds: 1,
  };
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.ceil(duration / seconds));
}
