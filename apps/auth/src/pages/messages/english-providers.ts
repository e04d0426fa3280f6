/** Texts of the sign-in at other providers in English. */
export const english = {
  'providers.or': 'Or sign in with another account',
  'providers.continue': 'Continue with {provider}',

  'identities.title': 'Sign-in with other accounts',
  'identities.detail': 'Accounts at other providers with which you can sign in',
  'identities.manage': 'Manage',
  'identities.explanation': 'You can sign in here with these accounts at other providers.',
  'identities.none': 'No account at another provider is linked.',
  'identities.linked_at': 'Linked',
  'identities.last_used': 'Last used',
  'identities.never': 'Not yet',
  'identities.unlink': 'Unlink',
  'identities.unlink_from': 'from {provider}',
  'identities.add': 'Link another account',
  'identities.add_with': 'Link {provider}',

  'link_identity.title': 'Link your account at {provider}?',
  'link_identity.as': 'You are signed in there as {label}.',
  'link_identity.consequence': 'Whoever can sign in to that account can then sign in to this one, too.',
  'link_identity.submit': 'Link',

  'signed_out.still_at':
    'You are still signed in at {provider}. Sign out there, too, if others use this computer.',
  'signed_out.at': 'Sign out at {provider}',

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
    'The sign-in with {provider} took too long or was begun in another browser. Please try again.',
  'notice.provider_taken': 'This account at {provider} is linked to another account here.',
  'notice.provider_address_unverified': 'Confirm your e-mail address before you link {provider}.',
  'notice.provider_last': 'This is your only way to sign in, so it stays.',
  'notice.identity_linked': 'You can now sign in with {provider}.',
  'notice.identity_unlinked': 'You can no longer sign in with {provider}.',
} as const;
