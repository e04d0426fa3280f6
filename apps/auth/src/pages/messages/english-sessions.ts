/** English texts about sessions. */
export const english = {
  'notice.session_ended': 'The device is signed out, with the applications that were used there.',
  'notice.other_sessions_ended':
    'You are signed out on all other devices, and in the applications used there.',

  'sessions.title': 'Where you are signed in',
  'sessions.explanation':
    'If you do not recognise a device, sign it out and change your password. An application that was used there loses its access within seconds.',
  'sessions.this_device': 'This device',
  'sessions.address': 'Network address',
  'sessions.first_seen': 'Signed in',
  'sessions.last_seen': 'Last used',
  'sessions.applications': 'Applications',
  'sessions.no_applications': 'None',
  'sessions.end': 'Sign out',
  'sessions.end_others': 'Sign out all other devices',
  'sessions.trusted_title': 'Devices without a second step',
  'sessions.trusted_explanation':
    'On these devices the password is enough. Any change to how you sign in ends this, and so does signing out everywhere.',
  'sessions.trusted_since': 'Since {since:date}, until {until:date}',

  'notice.email_restored':
    'The account has this address again. Every device is signed out, and the old password does not work any more.',
  'notice.sign_in_disowned': 'Every device is signed out, and the old password does not work any more.',
  'disown.title': 'This was not me',
  'disown.account': 'For the account {email}.',
  'disown.consequence':
    'We sign out every device and application, and remove passkeys, authenticator apps and linked accounts that were added since that sign-in. The password does not work any more, and we send you a link to choose another one.',
  'disown.submit': 'Sign out everywhere',
  'disown.address':
    'The address of your account was changed. You can take that back: {email} becomes its address again.',
  'disown.consequence_address':
    'We sign out every device and application, and remove passkeys, authenticator apps and linked accounts that were added since the sign-in that changed the address. The password does not work any more, and we send you a link to choose another one.',
  'disown.submit_address': 'Take my account back',
  'disown.otherwise': 'If the sign-in was yours after all, close this page: nothing changes.',
  'disown.otherwise_address': 'If you changed the address after all, close this page: nothing changes.',

  'device.full': '{browser} on {system}',
  'device.browser_only': '{browser}',
  'device.system_only': 'Unknown browser on {system}',
  'device.unknown': 'Unknown device',

  'account.sessions': 'Where you are signed in',
  'account.show_sessions': 'Show devices',
  'account.sessions_detail': 'See your devices, and sign out one or all of the others.',
} as const;
