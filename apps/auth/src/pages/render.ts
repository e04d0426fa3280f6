import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Asset } from './asset.ts';
import type { Brand } from './brand.ts';
import { applicationHref, hostOf, safeHref } from './href.ts';
import { icons } from './icons.ts';
import { type Language, languageNames, languages } from './language.ts';
import { createTranslator, type Translator } from './messages.ts';
import { describeScope, describeScopes } from './scopes.ts';
import { shellWord } from './snippets/curl.ts';

/** Language and language links of a rendered page. */
export interface Presentation {
  language: Language;
  /** URLs of the same page in each language; absent if it cannot be requested again. */
  languageLinks?: Readonly<Partial<Record<Language, string>>> | undefined;
}

/** Renders plain data to a complete HTML document. */
export type RenderPage<View> = (view: View, presentation: Presentation) => string;

/** Variables of the templates; all other data is in `it`. */
const TEMPLATE_NAMES = 'const { view, t, rich, href } = it;';

/** Static files of the pages. */
interface PageFiles {
  brand: Brand;
  styleSheets: readonly Asset[];
  /** By the name that templates pass to their layout. */
  scripts: ReadonlyMap<string, Asset>;
}

/** Creates a function that returns the renderer of a template of `templates/` by name. */
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
  const translators = Object.fromEntries(
    languages.map((language) => [language, createTranslator(language, eta.config.escapeFunction)]),
  ) as Readonly<Record<Language, Translator>>;

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

/** Returns the first grapheme of a name, shown on the tile of an application or a person. */
function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim());
  return first?.segment.toUpperCase() ?? '?';
}
