/** Texts about passkeys in English. */
export const english = {
  'sign_in.passkey': 'Sign in with a passkey',

  'sign_up.passkey': 'Create account with a passkey',
  'sign_up.passkey_hint':
    'No password to remember: enter your name and address only. We send you a link to create a passkey.',
  'sign_up_passkey.title': 'Create your passkey',
  'sign_up_passkey.choose_password': 'I would rather choose a password',

  'passkeys.title': 'Passkeys',
  'passkeys.explanation':
    'A passkey is in your phone, computer or security key. It signs you in with your fingerprint, face or PIN, without a password, and it works on no other website.',
  'passkeys.none': 'You have no passkey yet.',
  'passkeys.add': 'Add a passkey',
  'passkeys.unavailable': 'Passkeys need an address with a domain name and https. This server has none.',
  'passkeys.verify_first': 'Confirm your e-mail address first. Then you can add a passkey.',
  'passkeys.verify': 'Confirm address',
  'passkeys.since': 'Made',
  'passkeys.last_used': 'Last used',
  'passkeys.never_used': 'Not yet',
  'passkeys.kept': 'Where it is',
  'passkeys.synced': 'Synced between your devices',
  'passkeys.on_device': 'On one device only',
  'passkeys.change': 'Change',
  'passkeys.back': 'Back to passkeys',

  'new_passkey.title': 'Add a passkey',
  'new_passkey.name_hint': 'Only you see this name. It tells your passkeys apart.',
  'new_passkey.default_name': 'My passkey',
  'new_passkey.submit': 'Create passkey',
  'new_passkey.unsupported':
    'This needs JavaScript and a browser with passkeys. Yours has one of them switched off.',
  'new_passkey.failed': 'No passkey was created. You can try again.',
  'new_passkey.exists': 'This device already has a passkey for your account.',

  'passkey.title': 'Change passkey',
  'passkey.remove_title': 'Remove this passkey',
  'passkey.remove_explanation':
    'It will no longer open your account. Delete it from your device, too: this server cannot do that.',
  'passkey.remove_last':
    'This passkey is the only way into your account. Add another one, or choose a password, before you remove it.',
  'passkey.choose_password': 'Choose a password',
  'passkey.end_sessions': 'Also sign out on all other devices',
  'passkey.end_sessions_detail':
    'Recommended if the device is lost or belongs to somebody else: who is signed in there stays signed in otherwise.',
  'passkey.remove': 'Remove passkey',

  'account.passkeys': 'Passkeys',
  'account.passkeys_detail': 'Sign in with your fingerprint, face or PIN instead of the password.',
  'account.change_passkeys': 'Manage passkeys',

  'notice.passkey_added': 'The passkey “{name}” has been added.',
  'notice.passkey_renamed': 'The passkey has a new name.',
  'notice.passkey_removed': 'The passkey “{name}” has been removed.',
  'notice.passkey_removed_everywhere':
    'The passkey “{name}” has been removed, and all other devices are signed out.',

  'problem.passkey_invalid': 'No passkey was created, or it took too long. Please try again.',
  'problem.passkey_rejected': 'This passkey opens no account here. Use another one, or your password.',
  'problem.passkey_expired': 'That took too long. Please use the passkey again.',
  'problem.passkey_too_many': 'You have as many passkeys as you may. Remove one first.',
  'problem.passkey_last': 'This passkey is the only way into your account, so it cannot be removed.',
} as const;
