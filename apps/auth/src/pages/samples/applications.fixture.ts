import type { Samples } from '../samples.fixture.ts';
import type { ApplicationView } from '../views/applications.ts';
import { shell } from './account.fixture.ts';
import { logo, logoProblems, sampleLogo } from './logo.fixture.ts';
import { invitedOwners, owners } from './owners.fixture.ts';
import { pendingRequest, rejectedRequest, trustForm, trustProblems } from './trust.fixture.ts';

const form = { action: '/account/applications', csrf: 'b1f9c0d2' };
const id = '0199c0de-1111-7000-8000-00000000abcd';
const offeredScopes = [
  { name: 'openid', isForMachines: false },
  { name: 'email', isForMachines: false },
  { name: 'offline_access', isForMachines: false },
  { name: 'tickets:read', isForMachines: true },
  { name: 'tickets:write', isForMachines: true },
];
const editLinks = { cancel: '/account/applications' };

const web = {
  shell,
  csrf: 'b1f9c0d2',
  application: {
    id,
    name: 'Printshop Status',
    type: 'web',
    authMethod: 'client_secret_basic',
    homePage: 'https://printshop.example',
    policyUri: 'https://printshop.example/privacy',
    tosUri: 'https://printshop.example/terms',
    redirectUris: ['https://printshop.example/callback', 'https://staging.printshop.example/callback'],
    postLogoutRedirectUris: ['https://printshop.example/'],
    keys: [],
    isHardened: false,
    scopes: ['openid', 'offline_access', 'tickets:read'],
    role: null,
    isVerified: false,
    isDisabled: false,
    createdAt: new Date('2026-01-12T08:00:00Z'),
    secrets: [
      {
        id: 's1',
        hint: 'x7Qa',
        createdAt: new Date('2026-01-12T08:00:00Z'),
        lastUsedAt: new Date('2026-01-31T07:42:00Z'),
        expiresAt: new Date('2026-02-07T08:00:00Z'),
        removeAction: '/account/applications/1/secrets/s1/remove',
      },
      {
        id: 's2',
        hint: '9pLw',
        createdAt: new Date('2026-01-31T08:00:00Z'),
        lastUsedAt: null,
        expiresAt: null,
        removeAction: '/account/applications/1/secrets/s2/remove',
      },
    ],
  },
  server: {
    issuer: 'https://auth.example.com',
    discoveryUrl: 'https://auth.example.com/.well-known/openid-configuration',
    userinfoEndpoint: 'https://auth.example.com/me',
    jwksUri: 'https://auth.example.com/jwks',
    apiBaseUrl: 'https://api.example.com',
    authorizationEndpoint: 'https://auth.example.com/auth',
    tokenEndpoint: 'https://auth.example.com/token',
    exampleUrl: 'https://api.example.com/tickets.json',
  },
  links: {
    show: '/account/applications/1',
    edit: '/account/applications/1/edit',
    remove: '/account/applications/1/remove',
    applications: '/account/applications',
  },
  logo,
  trust: [{ kind: 'verification', form: trustForm('verification'), values: {} }],
  owners,
} satisfies ApplicationView;

export const applicationSamples = {
  renderApplications: {
    applications: {
      shell,
      applications: [
        {
          id,
          name: 'Printshop Status',
          logo: sampleLogo.path,
          type: 'web',
          isVerified: false,
          isDisabled: false,
          isCoOwned: false,
          createdAt: new Date('2026-01-12T08:00:00Z'),
          href: '/account/applications/1',
        },
        {
          id: '0199c0de-2222-7000-8000-00000000abcd',
          name: 'Donaudampfschifffahrtsgesellschaftskundendienst Außenstelle Regensburg',
          type: 'native',
          isVerified: true,
          isDisabled: true,
          isCoOwned: true,
          createdAt: new Date('2025-10-01T08:00:00Z'),
          href: '/account/applications/2',
        },
      ],
      limit: 10,
      notice: { code: 'application_removed', values: { application: 'Old Widget' } },
      links: { register: '/account/applications/new' },
    },
    'applications-none': {
      shell,
      applications: [],
      limit: 10,
      links: { register: '/account/applications/new' },
    },
  },
  renderApplicationForm: {
    'application-register': {
      shell,
      form,
      values: { type: 'web', scopes: ['openid', 'tickets:read'] },
      offeredScopes,
      links: editLinks,
    },
    'application-register-machine': {
      shell,
      form,
      values: { type: 'machine', name: 'Nightly export', scopes: ['tickets:read'] },
      offeredScopes,
      links: editLinks,
    },
    'application-register-wrong': {
      shell,
      form: {
        ...form,
        problems: [
          { field: 'type', code: 'type_missing' },
          { field: 'name', code: 'name_missing' },
          { field: 'home_page', code: 'home_page_invalid' },
          {
            field: 'redirect_uris',
            code: 'redirect_uri_not_https',
            values: { uri: 'http://printshop.example/callback' },
          },
          {
            field: 'redirect_uris',
            code: 'redirect_uri_fragment',
            values: { uri: 'https://printshop.example/#done' },
          },
          { field: 'scopes', code: 'scopes_missing' },
          { field: 'authorization_signed_response_alg', code: 'algorithm_unknown' },
          { field: 'jwks', code: 'jwks_invalid', values: { place: 'jwks.keys.0' } },
        ],
      },
      values: {
        homePage: 'printshop.example',
        redirectUris: 'http://printshop.example/callback\nhttps://printshop.example/#done',
        scopes: [],
      },
      offeredScopes,
      links: editLinks,
    },
    'application-edit': {
      shell,
      form: { ...form, problems: [{ code: 'changed_meanwhile' }] },
      editing: 'Printshop Status',
      values: {
        type: 'web',
        name: 'Printshop Status',
        homePage: 'https://printshop.example',
        redirectUris: 'https://printshop.example/callback',
        postLogoutRedirectUris: 'https://printshop.example/',
        scopes: ['openid', 'tickets:read'],
      },
      offeredScopes,
      links: editLinks,
    },
  },
  renderApplication: {
    application: { ...web, notice: { code: 'application_saved' } },
    'application-machine': {
      ...web,
      language: 'java',
      application: {
        ...web.application,
        name: 'Nightly export',
        type: 'machine',
        redirectUris: [],
        postLogoutRedirectUris: [],
        scopes: ['tickets:read', 'tickets:write'],
        secrets: web.application.secrets.slice(1),
      },
      addSecretAction: '/account/applications/1/secrets',
      trust: [
        {
          kind: 'role',
          form: trustForm('t1/withdraw'),
          values: {},
          request: pendingRequest,
        },
        { kind: 'verification', form: trustForm('verification'), values: {}, request: rejectedRequest },
      ],
    },
    'application-trust-wrong': {
      ...web,
      application: { ...web.application, type: 'machine', redirectUris: [], postLogoutRedirectUris: [] },
      problems: trustProblems,
      trust: [
        {
          kind: 'role',
          form: { ...trustForm('role'), problems: trustProblems },
          values: { reason: 'x'.repeat(600) },
          request: {
            ...pendingRequest,
            role: 'customer',
            status: 'approved',
            closedAt: rejectedRequest.closedAt,
          },
        },
      ],
    },
    'application-keys': {
      ...web,
      language: 'python',
      application: {
        ...web.application,
        authMethod: 'private_key_jwt',
        backchannelLogoutUri: 'https://printshop.example/log-out',
        initiateLoginUri: 'https://printshop.example/sign-in',
        authorizationResponseAlgorithm: 'ES256',
        keys: [
          {
            kid: 'printshop-2026-01',
            kty: 'EC',
            crv: 'P-256',
            alg: 'ES256',
            thumbprint: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
          },
          { kty: 'RSA', thumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' },
        ],
        secrets: [],
      },
    },
    'application-native': {
      ...web,
      language: 'swift',
      application: {
        ...web.application,
        name: 'Ticket Board',
        type: 'native',
        authMethod: 'none',
        logo: sampleLogo.path,
        isVerified: true,
        redirectUris: ['http://127.0.0.1/callback', 'com.example.board:/callback'],
        secrets: [],
      },
      logo: { ...logo, removeAction: '/account/applications/1/logo/remove' },
    },
    'application-logo-wrong': {
      ...web,
      problems: logoProblems,
      logo: { ...logo, form: { ...logo.form, problems: logoProblems } },
    },
    'application-co-owned': {
      ...web,
      owners: invitedOwners,
      problems: invitedOwners.form.problems,
      links: { ...web.links, remove: undefined },
    },
    'application-owners-full': { ...web, owners: { ...owners, form: undefined } },
    'application-spa-disabled': {
      ...web,
      application: { ...web.application, type: 'spa', authMethod: 'none', secrets: [], isDisabled: true },
      problems: [{ code: 'secrets_full', values: { max: 2 } }],
    },
  },
  renderSecretShown: {
    'secret-shown': {
      shell,
      application: { name: 'Printshop Status', id },
      secret: 'kd_Zk3v9Wq1hT7uYc5nR8mJ2bX6pL4sD0aGfEiOqVw7x7Qa',
      oldSecretExpiresAt: new Date('2026-02-07T08:00:00Z'),
      links: { goOn: '/account/applications/1' },
    },
  },
} satisfies Partial<Samples>;
