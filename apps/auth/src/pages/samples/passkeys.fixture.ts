import type { Samples } from '../samples.fixture.ts';
import { shell } from './account.fixture.ts';

const form = { action: '/account/passkeys/new', csrf: 'b1f9c0d2' };
const links = { passkeys: '/account/passkeys' };
/** Not the RP ID of the preview, so that no ceremony starts there. */
const options = JSON.stringify({ challenge: 'AAAA', rp: { id: 'auth.example', name: 'Acme Support' } });
const twoPasskeys = [
  {
    name: 'Ada’s phone',
    createdAt: new Date('2025-11-20T10:00:00Z'),
    lastUsedAt: new Date('2026-01-31T07:42:00Z'),
    isSynced: true,
    links: { change: '/account/passkeys/1' },
  },
  {
    name: 'Sicherheitsschlüssel in der Donaudampfschifffahrtsgesellschaft',
    createdAt: new Date('2026-01-30T10:00:00Z'),
    isSynced: false,
    links: { change: '/account/passkeys/2' },
  },
];

export const passkeySamples = {
  renderPasskeys: {
    passkeys: {
      shell,
      passkeys: twoPasskeys,
      isAvailable: true,
      notice: { code: 'passkey_added', values: { name: 'Ada’s phone' } },
      links: { add: '/account/passkeys/new' },
    },
    'passkeys-none': { shell, passkeys: [], isAvailable: true, links: { add: '/account/passkeys/new' } },
    'passkeys-unverified': {
      shell,
      passkeys: [],
      isAvailable: true,
      links: { verifyEmail: '/account/verification' },
    },
    'passkeys-unavailable': {
      shell,
      passkeys: [],
      isAvailable: false,
      links: {},
    },
  },
  renderNewPasskey: {
    'new-passkey': { shell, form, options, links },
    'new-passkey-failed': {
      shell,
      form: { ...form, problems: [{ code: 'passkey_invalid' }] },
      name: 'Phone',
      options,
      links,
    },
  },
  renderPasskey: {
    passkey: { shell, form, name: 'Ada’s phone', links },
    'passkey-last': {
      shell,
      form: { ...form, problems: [{ field: 'passkey_name', code: 'name_missing' }] },
      name: '',
      links: { ...links, choosePassword: '/forgot-password' },
    },
  },
} satisfies Partial<Samples>;
