import type { BrandSettings } from './brand.ts';
import type { Pages } from './pages.ts';
import type { Presentation, RenderPage } from './render.ts';
import { accountSamples } from './samples/account.fixture.ts';
import { applicationSamples } from './samples/applications.fixture.ts';
import { consentSamples } from './samples/consent.fixture.ts';
import { errorSamples } from './samples/errors.fixture.ts';
import { factorSamples } from './samples/factors.fixture.ts';
import { leavingSamples } from './samples/leaving.fixture.ts';
import { ownerSamples } from './samples/owners.fixture.ts';
import { passkeySamples } from './samples/passkeys.fixture.ts';
import { providerSamples } from './samples/providers.fixture.ts';
import { responseSamples } from './samples/responses.fixture.ts';
import { sessionSamples } from './samples/sessions.fixture.ts';
import { signInSamples } from './samples/sign-in.fixture.ts';

/** Names of the functions that render a page. */
export type PageName = Extract<keyof Pages, `render${string}`>;

/** Realistic views of every page in every state that looks different, by page and name of the state. */
export type Samples = { readonly [Page in PageName]: Readonly<Record<string, Parameters<Pages[Page]>[0]>> };

const samplesByPage: Samples = {
  ...signInSamples,
  ...consentSamples,
  ...accountSamples,
  ...passkeySamples,
  ...sessionSamples,
  ...leavingSamples,
  ...applicationSamples,
  ...ownerSamples,
  ...factorSamples,
  ...errorSamples,
  ...providerSamples,
  ...responseSamples,
};

/** Page in one state. */
export interface Sample {
  name: string;
  view: object;
  render(pages: Pages, view: object, presentation: Presentation): string;
}

export const samples: readonly Sample[] = Object.entries(samplesByPage).flatMap(([page, states]) =>
  Object.entries(states).map(([name, view]) => ({
    name,
    view,
    render: (pages: Pages, view: object, presentation: Presentation) =>
      // The page and the view come from the same entry, which TypeScript cannot infer from a union.
      (pages[page as PageName] as RenderPage<object>)(view, presentation),
  })),
);

/** Brand with every setting except a logo. */
export const sampleBrand: BrandSettings = {
  name: 'Acme Support',
  links: {
    privacy: 'https://acme.example/privacy',
    terms: 'https://acme.example/terms',
    imprint: 'https://acme.example/imprint',
    support: 'mailto:help@acme.example',
  },
};
