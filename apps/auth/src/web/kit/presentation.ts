import type { Context } from 'koa';
import { chooseLanguage, isLanguage, languages } from '../../pages/language.ts';
import type { Presentation } from '../../pages/render.ts';

const LANGUAGE_COOKIE = 'language';
const ONE_YEAR_MS = 365 * 86_400_000;

/** Chooses the language of a page: the user's choice, or that of the application or the browser. */
export function presentationOf(ctx: Context, uiLocales?: unknown): Presentation {
  const asked = String(ctx.query.lang ?? '');
  if (isLanguage(asked)) {
    const options = { httpOnly: true, sameSite: 'lax', signed: false, maxAge: ONE_YEAR_MS } as const;
    ctx.cookies.set(LANGUAGE_COOKIE, asked, options);
  }
  const chosen = isLanguage(asked) ? asked : (ctx.cookies.get(LANGUAGE_COOKIE, { signed: false }) ?? '');
  const language = isLanguage(chosen)
    ? chosen
    : chooseLanguage(ctx, typeof uiLocales === 'string' ? uiLocales : '');
  return { language };
}

/** Builds links to the same page in every language; other parameters stay. */
export function languageLinksOf(path: string, query = ''): Presentation['languageLinks'] {
  const inLanguage = (language: string) => {
    const parameters = new URLSearchParams(query);
    parameters.set('lang', language);
    return `${path}?${parameters}`;
  };
  return Object.fromEntries(languages.map((language) => [language, inLanguage(language)]));
}
