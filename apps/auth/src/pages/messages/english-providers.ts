/** Texts of the sign-in at other providers in English. */
export const english = {
  'providers.or': 'Or sign in with another account',
  'providers.continue': 'Continue with {provider}',

  'notice.provider_domain_not_allowed':
    'Your account at {provider} is not from an organization that may sign in here.',
  'notice.provider_email_unverified':
    '{provider} has not confirmed your e-mail address. Sign in or create an account in another way; you can link {provider} on the page of your account.',
  'notice.provider_sign_up_closed': 'You have no account here. Ask an administrator for one.',
  'notice.provider_account_disabled': 'Your account is disabled. Ask an administrator.',
  'notice.provider_sign_in_first':
    'You already have an account with this e-mail address. Sign in to it in the way you are used to; you can link {provider} on the page of your account.',
  'notice.provider_denied': 'The sign-in with {provider} was cancelled.',
  'notice.provider_unavailable':
    '{provider} does not respond at the moment. Sign in in another way, or try again later.',
  'notice.provider_failed': 'The sign-in with {provider} failed. Please try again.',
  'notice.provider_expired':
    'The sign-in with {provider} took too long or was begun in another window. Please try again.',
} as const;
