export const languages = ['en', 'de'] as const;

/** Language of the pages, as a BCP 47 tag. */
export type Language = (typeof languages)[number];

export function isLanguage(tag: string): tag is Language {
  return languages.some((language) => language === tag);
}

/** Native names of the languages. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** Language preferences of a request. */
export interface LanguagePreferences {
  /** Parameter `ui_locales`: tags in order of preference, separated by spaces (OpenID Connect Core §3.1.2.1). */
  uiLocales?: string | undefined;
  /** Header `Accept-Language` (RFC 9110 §12.5.4). */
  acceptLanguage?: string | undefined;
}

/**
 * Chooses the language of a response: that of the application, else that of the browser, else English. A regional tag
 * such as `de-AT` matches its language.
 */
export function chooseLanguage({ uiLocales = '', acceptLanguage = '' }: LanguagePreferences): Language {
  const tags = [...uiLocales.split(/\s+/), ...tagsByPreference(acceptLanguage)];
  return tags.map(toLanguage).find((language) => language !== undefined) ?? 'en';
}

function toLanguage(tag: string): Language | undefined {
  const primary = tag.split('-')[0]?.toLowerCase();
  return languages.find((language) => language === primary);
}

function tagsByPreference(acceptLanguage: string): string[] {
  return acceptLanguage
    .split(',')
    .map(parseRange)
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

function parseRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q=/i.test(parameter));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { tag, quality: Number.isNaN(quality) ? 0 : quality };
}
