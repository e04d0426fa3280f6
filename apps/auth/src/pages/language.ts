import type { Context } from 'koa';

export const languages = ['en', 'de'] as const;

/** Language of the pages, as a BCP 47 tag. */
export type Language = (typeof languages)[number];

export function isLanguage(tag: unknown): tag is Language {
  return languages.some((language) => language === tag);
}

/** Locales that format dates and durations. */
export const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

/** Native names of the languages. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/**
 * Chooses the language of a response: that of the application, else that of the browser (`Accept-Language`, RFC 9110
 * §12.5.4), else English. A regional tag such as `de-AT` matches its language.
 *
 * @param uiLocales tags in order of preference, separated by spaces (OpenID Connect Core §3.1.2.1)
 */
export function chooseLanguage(ctx: Pick<Context, 'acceptsLanguages'>, uiLocales = ''): Language {
  const requested = uiLocales.split(/\s+/).map((tag) => tag.split('-')[0]?.toLowerCase());
  return [...requested, ctx.acceptsLanguages(...languages)].find(isLanguage) ?? 'en';
}
