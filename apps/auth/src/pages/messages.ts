import type { Language } from './language.ts';
import { english } from './messages/english.ts';
import { german } from './messages/german.ts';

export type MessageKey = keyof typeof english;

/** A whole translation of the catalogue: a missing or a superfluous key is a type error. */
export type Translation = { readonly [Key in MessageKey]: string };

const translations: Readonly<Record<Language, Translation>> = { en: english, de: german };

/** Where dates and durations are written as people expect who chose the language. */
const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;
type ValueOf<Format> = Format extends `${string}:duration`
  ? number
  : Format extends `${string}:date`
    ? Date
    : string | number;

/** The values that a message needs: names of its placeholders → text or number, seconds for a duration, a date. */
export type MessageValues<Key extends MessageKey> = {
  readonly [P in Placeholder<(typeof english)[Key]> as P extends `${infer Name}:${string}`
    ? Name
    : P]: ValueOf<P>;
};

/** The values argument of a message: none when it has no placeholder. */
type Arguments<Key extends MessageKey> = keyof MessageValues<Key> extends never
  ? []
  : [values: MessageValues<Key>];

/** A message chosen by a code, such as `{ code: 'email_missing' }` for `problem.email_missing`, with its values. */
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

/** Makes any text safe inside HTML elements and quoted attribute values. */
export type EscapeHtml = (text: string) => string;

type Values = Readonly<Record<string, string | number | Date>>;

/** Speaks one language. */
export interface Translator {
  readonly language: Language;
  /**
   * The message as plain text, not escaped.
   *
   * @throws {Error} when the catalogue lacks the message, or the values lack one that it needs.
   */
  text<Key extends MessageKey>(key: Key, ...values: Arguments<Key>): string;
  /** The message as HTML: all of it escaped, each value emphasised and isolated from the direction of its letters. */
  html<Key extends MessageKey>(key: Key, ...values: Arguments<Key>): string;
  /** A day, such as "31 January 2026". */
  date(date: Date): string;
  /** A moment to the minute, in UTC. */
  time(date: Date): string;
}

/** The translator of one language; make it once, its formats are costly. */
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

/** Units of time, with how many seconds one has. */
const durationUnits = [
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** In the largest unit of which it is one or more than two, rounded up: who waits that long has waited long enough. */
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
