import type { Samples } from '../samples.fixture.ts';
import { sampleLogo } from './logo.fixture.ts';

export const shell = {
  email: 'ada.lovelace@example.com',
  links: {
    account: '/account',
    connectedApplications: '/account/connected-applications',
    applications: '/account/applications',
    signOut: '/session/end',
  },
};

const form = { action: '/account/change', csrf: 'b1f9c0d2' };
const signOutEverywhere = { action: '/account/sign-out-everywhere', csrf: 'b1f9c0d2' };
const links = {
  changeName: '/account/name',
  changePassword: '/account/password',
  changeEmail: '/account/email',
  twoStep: '/account/two-step',
  passkeys: '/account/passkeys',
  sessions: '/account/sessions',
  downloadData: '/account/data',
  deleteAccount: '/account/delete',
};

export const accountSamples = {
  renderAccount: {
    account: {
      shell,
      account: {
        name: 'Ada Lovelace',
        email: shell.email,
        isEmailVerified: true,
        role: 'customer',
        createdAt: new Date('2025-03-02T10:00:00Z'),
        passwordChangedAt: new Date('2025-11-20T10:00:00Z'),
      },
      signOutEverywhere,
      links,
    },
    'account-new': {
      shell: {
        email: 'a.person.with.a.remarkably.long.mail.address@department.of.examples.example.org',
        links: { ...shell.links, applications: undefined },
      },
      account: {
        email: 'a.person.with.a.remarkably.long.mail.address@department.of.examples.example.org',
        isEmailVerified: false,
        role: 'agent',
        createdAt: new Date('2026-01-31T09:00:00Z'),
      },
      notice: { code: 'password_changed' },
      signOutEverywhere,
      links: { ...links, verifyEmail: '/account/verification' },
    },
  },
  renderChangeName: {
    'change-name': { shell, form, name: 'Ada Lovelace' },
    'change-name-wrong': { shell, form: { ...form, problems: [{ field: 'name', code: 'name_missing' }] } },
  },
  renderChangePassword: {
    'change-password': {
      shell,
      form,
      passwordMinLength: 10,
      links: { remove: '/account/password/remove' },
    },
    'change-password-wrong': {
      shell,
      form: {
        ...form,
        problems: [
          { field: 'current_password', code: 'password_wrong' },
          { field: 'new_password', code: 'password_same' },
        ],
      },
      passwordMinLength: 10,
      notice: { code: 'password_last' },
      links: {},
    },
  },
  renderRemovePassword: {
    'remove-password': { shell, form, links: { cancel: '/account/password' } },
  },
  renderChangeEmail: {
    'change-email': { shell, form, hasPassword: true, email: 'ada@example.org' },
    'change-email-no-password': { shell, form, hasPassword: false, email: 'ada@example.org' },
  },
  renderConnectedApplications: {
    'connected-applications': {
      shell,
      csrf: 'b1f9c0d2',
      notice: { code: 'application_revoked', values: { application: 'Old Widget' } },
      applications: [
        {
          id: '0199c0de-0000-7000-8000-000000000001',
          name: 'Acme Desk for Android',
          logo: sampleLogo.path,
          owner: 'Acme Corp',
          homePage: 'https://desk.acme.example',
          isVerified: true,
          scopes: ['openid', 'tickets:read', 'tickets:write', 'offline_access'],
          since: new Date('2025-06-11T08:00:00Z'),
          lastUsedAt: new Date('2026-01-31T07:42:00Z'),
          revokeAction: '/account/connected-applications/1/revoke',
        },
        {
          id: '0199c0de-0000-7000-8000-000000000002',
          name: 'Donaudampfschifffahrtsgesellschaftskundendienst Außenstelle Regensburg',
          owner: 'Grace Hopper',
          isVerified: false,
          scopes: ['email', 'tickets:read'],
          since: new Date('2026-01-05T08:00:00Z'),
          revokeAction: '/account/connected-applications/2/revoke',
        },
      ],
    },
    'connected-applications-none': { shell, csrf: 'b1f9c0d2', applications: [] },
  },
} satisfies Partial<Samples>;
