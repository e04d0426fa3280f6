import type { Samples } from '../samples.fixture.ts';
import { sampleLogo } from './logo.fixture.ts';

const form = { action: '/interaction/Xv3kQ/consent', csrf: 'b1f9c0d2' };
const providerForm = { action: 'https://auth.example.com/device', xsrf: '0a1b2c3d' };
const account = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace' };
const unverified = {
  name: 'Printshop Status',
  owner: 'Grace Hopper',
  homePage: 'https://printshop.example/about',
  policyUri: 'https://printshop.example/privacy',
  tosUri: 'https://printshop.example/terms',
  isVerified: false,
};
const verified = {
  ...unverified,
  logo: sampleLogo.path,
  name: 'Acme Desk for Android',
  owner: 'Acme Corp',
  isVerified: true,
};

export const consentSamples = {
  renderConsent: {
    'consent-unverified': {
      form,
      application: unverified,
      account,
      scopes: ['openid', 'email', 'tickets:read', 'tickets:write', 'offline_access'],
      returnsTo: 'printshop.example',
      switchAccountAction: '/interaction/Xv3kQ/switch-account',
    },
    'consent-by-document': {
      form,
      application: {
        name: 'Notebook',
        homePage: 'https://tools.notebook.example/oauth/client.json',
        documentHost: 'tools.notebook.example',
        isVerified: false,
      },
      account,
      scopes: ['tickets:read'],
      returnsTo: '127.0.0.1:33418',
      isOnDevice: true,
      switchAccountAction: '/interaction/Xv3kQ/switch-account',
    },
    'consent-verified': {
      form,
      application: verified,
      account,
      scopes: ['openid', 'tickets:read'],
      returnsTo: 'desk.acme.example',
      switchAccountAction: '/interaction/Xv3kQ/switch-account',
    },
    'consent-more': {
      form: { ...form, problems: [{ code: 'form_expired' }] },
      application: {
        name: 'Donaudampfschifffahrtsgesellschaftskundendienst Außenstelle Regensburg & Söhne',
        isVerified: true,
      },
      account: { email: 'a.person.with.a.remarkably.long.mail.address@department.of.examples.example.org' },
      scopes: ['tickets:delete', 'billing:export', 'address', 'phone'],
      grantedScopes: ['openid', 'tickets:read'],
      returnsTo: 'a-rather-long-subdomain.of-a-long-company-name.example.co.uk',
    },
  },
  renderDeviceCode: {
    'device-code': { form: providerForm },
    'device-code-wrong': {
      form: { ...providerForm, problems: [{ field: 'user_code', code: 'user_code_unknown' }] },
      userCode: 'BCDF-GHJX',
    },
  },
  renderDeviceConfirm: {
    'device-confirm': {
      form: providerForm,
      application: { ...unverified, name: 'Ticket Board for TV', logo: sampleLogo.path },
      userCode: 'BCDF-GHJK',
      scopes: ['openid', 'tickets:read'],
      from: {
        address: '203.0.113.42',
        device: 'Mozilla/5.0 (Linux; Android 14; BRAVIA 4K) AppleWebKit/537.36 TicketBoard/2.1',
        at: new Date('2026-01-31T09:04:00Z'),
      },
    },
  },
  renderDeviceResult: {
    'device-connected': { outcome: 'connected', application: { name: 'Ticket Board for TV' } },
    'device-denied': { outcome: 'denied', application: { name: 'Ticket Board for TV' } },
  },
  renderSignOut: {
    'sign-out': {
      form: providerForm,
      account: { email: account.email },
      application: { name: 'Printshop Status' },
    },
    'sign-out-logo': {
      form: providerForm,
      account: { email: account.email },
      application: { name: 'Printshop Status', logo: sampleLogo.path },
    },
  },
  renderSignedOut: {
    'signed-out': { links: { signIn: '/sign-in' } },
    'signed-out-here': {
      links: { signIn: '/sign-in' },
      upstream: { provider: 'Acme Directory', href: '/sign-in/with/acme/log-out' },
    },
  },
} satisfies Partial<Samples>;
