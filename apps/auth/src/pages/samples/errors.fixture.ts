import type { Samples } from '../samples.fixture.ts';

const requestId = '0199c0de-3c4d-7e5f-8a1b-2c3d4e5f6071';
const toApplication = {
  to: 'application',
  href: 'https://printshop.example/',
  application: 'Printshop Status',
} as const;

export const errorSamples = {
  renderError: {
    'error-address-in-use': {
      variant: 'address_in_use',
      requestId,
      actions: [{ to: 'account', href: '/account' }],
    },
    'error-interaction-expired': {
      variant: 'interaction_expired',
      requestId,
      actions: [toApplication, { to: 'account', href: '/account' }],
    },
    'error-other-tab': { variant: 'other_tab', actions: [toApplication] },
    'error-redirect-uri': {
      variant: 'redirect_uri_mismatch',
      requestId,
      oauth: {
        error: 'invalid_redirect_uri',
        description: "redirect_uri did not match any of the client's registered redirect_uris",
        clientId: '0199c0de-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
        redirectUri: 'https://printshop.example/callback/of/an/earlier/version?with=parameters',
      },
      actions: [toApplication, { to: 'account', href: '/account' }],
    },
    'error-unknown-client': {
      variant: 'unknown_client',
      requestId,
      oauth: { error: 'invalid_client', description: 'client is invalid', clientId: 'printshop' },
      actions: [{ to: 'account', href: '/account' }],
    },
    'error-invalid-request': { variant: 'invalid_request', requestId, oauth: { error: 'invalid_request' } },
    'error-cookies-blocked': { variant: 'cookies_blocked', actions: [{ to: 'retry', href: '/sign-in' }] },
    'error-access-denied': {
      variant: 'access_denied',
      requestId,
      actions: [
        { to: 'other_account', href: '/sign-in' },
        { to: 'account', href: '/account' },
      ],
    },
    'error-sign-in-too-weak': {
      variant: 'sign_in_too_weak',
      requestId,
      actions: [{ to: 'account', href: '/account' }],
    },
    'error-form-expired': { variant: 'form_expired', actions: [{ to: 'retry', href: '/sign-in' }] },
    'error-invalid-link': {
      variant: 'invalid_link',
      actions: [{ to: 'new_link', href: '/forgot-password' }],
    },
    'error-not-found': { variant: 'not_found', actions: [{ to: 'sign_in', href: '/sign-in' }] },
    'error-too-large': { variant: 'too_large', requestId, actions: [{ to: 'account', href: '/account' }] },
    'error-too-many-attempts': { variant: 'too_many_attempts', retryAfterSeconds: 420, requestId },
    'error-unavailable': {
      variant: 'unavailable',
      retryAfterSeconds: 30,
      actions: [{ to: 'retry', href: '/sign-in' }],
    },
    'error-unexpected': { variant: 'unexpected', requestId, actions: [{ to: 'retry', href: '/sign-in' }] },
  },
} satisfies Partial<Samples>;
