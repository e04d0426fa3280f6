import type { Samples } from '../samples.fixture.ts';
import { shell } from './account.fixture.ts';

const form = { action: '/account/identities', csrf: 'b1f9c0d2' };
const providers = [
  { id: 'acme', name: 'Acme Directory', href: '/account/identities/link/acme' },
  {
    id: 'long',
    name: 'Landesamt für Vermessung und Geobasisinformation',
    href: '/account/identities/link/long',
  },
];

export const providerSamples = {
  renderIdentities: {
    identities: {
      shell,
      form,
      identities: [
        {
          id: '1',
          provider: 'Acme Directory',
          label: 'ada.lovelace@acme.example',
          linkedAt: new Date('2026-01-20T10:00:00Z'),
          lastUsedAt: new Date('2026-01-31T07:42:00Z'),
        },
        { id: '2', provider: 'GitHub', linkedAt: new Date('2026-01-30T10:00:00Z') },
      ],
      providers,
      notice: { code: 'provider_last' },
    },
    'identities-none': { shell, identities: [], providers },
  },
  renderLinkIdentity: {
    'link-identity': {
      shell,
      form: { action: '/account/identities/confirm', csrf: 'b1f9c0d2' },
      provider: 'Acme Directory',
      label: 'a.person.with.a.remarkably.long.mail.address@department.of.examples.example.org',
      links: { cancel: '/account/identities' },
    },
  },
} satisfies Partial<Samples>;
