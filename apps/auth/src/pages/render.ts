import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Asset } from './asset.ts';
import type { Brand } from './brand.ts';
import { applicationHref, hostOf, safeHref } from './href.ts';
import { icons } from './icons.ts';
import { initialOf } from './initial-of.ts';
import { type Language, languageNames } from './language.ts';
import { createTranslator, type Translator } from './messages.ts';
import { describeScope, describeScopes } from './scopes.ts';
import { shellWord } from './snippets/curl.ts';

/** How a page is shown to one person. */
export interface Presentation {
  language: Language;
  /** Where the same page is to be had in each language; absent where it cannot be asked for again. */
  languageLinks?: Readonly<Partial<Record<Language, string>>> | undefined;
}

/** Makes a whole HTML document of plain data. */
export type RenderPage<View> = (view: View, presentation: Presentation) => string;

/** The names that templates have for what they use most; the rest they find in `it`. */
const TEMPLATE_NAMES = 'const { view, t, rich, href } = it;';

/** The files that pages refer to. */
export interface PageFiles {
  brand: Brand;
  styleSheets: readonly Asset[];
  /** By the name under which a template asks its layout for one. */
  scripts: ReadonlyMap<string, Asset>;
}

/** Gives the function that renders a template of `templates/`, by the template's name. */
export function createRenderer({ brand, styleSheets, scripts }: PageFiles) {
  const eta = new Eta({
    views: fileURLToPath(new URL('templates', import.meta.url)),
    cache: true,
    autoEscape: true,
    functionHeader: TEMPLATE_NAMES,
  });
  const shared = {
    brand,
    styleSheets,
    scriptFiles: scripts,
    icons,
    languageNames,
    href: safeHref,
    applicationHref,
    hostOf,
    initialOf,
    shellWord,
  };
  const translators: Readonly<Record<Language, Translator>> = {
    en: createTranslator('en', eta.config.escapeFunction),
    de: createTranslator('de', eta.config.escapeFunction),
  };

  return function page<View extends object>(template: string): RenderPage<View> {
    return function render(view, { language, languageLinks = {} }) {
      const translator = translators[language];
      return eta.render(`./${template}`, {
        ...shared,
        view,
        language,
        languageLinks,
        t: translator.text,
        rich: translator.html,
        date: translator.date,
        time: translator.time,
        describeScope: (scope: string) => describeScope(scope, translator),
        describeScopes: (scopes: readonly string[]) => describeScopes(scopes, translator),
      });
    };
  };
}
