/** The part of the catalogue about second factors, in English. */
export const english = {
  'second_factor.title': 'Confirm that it’s you',
  'second_factor.explanation': 'Enter the code that your authenticator app shows for {email}.',
  'second_factor.code': 'Code of the app',
  'second_factor.code_hint': 'Six digits. A new code appears every 30 seconds.',
  'second_factor.trust': 'Trust this device for {days} days',
  'second_factor.trust_detail': 'Only on your own device: it will not be asked for a code.',
  'second_factor.submit': 'Continue',
  'second_factor.no_app': 'No access to the app?',
  'second_factor.recovery_code': 'Recovery code',
  'second_factor.recovery_code_hint':
    'One of the codes that you saved when you set the app up. Each works once.',
  'second_factor.use_recovery_code': 'Use recovery code',
  'second_factor.lost_both':
    'If you have neither the app nor a recovery code, ask the people who run this service to reset your second factor.',
  'second_factor.passkey': 'A password is not enough here. Start again and sign in with your passkey.',
  'second_factor.start_again': 'Start again',
  'second_factor.other_account': 'Use another account',

  'set_up_totp.title': 'Set up authenticator app',
  'set_up_totp.purpose_chosen': 'From now on, signing in takes your password and a code of the app.',
  'set_up_totp.purpose_replaced': 'The new app replaces the present one, whose codes will no longer work.',
  'set_up_totp.purpose_required': 'Your role requires a second step to sign in. Set it up now to continue.',
  'set_up_totp.purpose_offered': 'Your role requires a second step to sign in from {until:date} on.',
  'set_up_totp.scan_title': '1. Scan this code with the app',
  'set_up_totp.scan':
    'Any authenticator app will do: that of your password manager, Google Authenticator, Microsoft Authenticator, 2FAS and others.',
  'set_up_totp.qr_code': 'QR code for the authenticator app. The key below says the same in letters.',
  'set_up_totp.secret': 'Or type this key',
  'set_up_totp.open_app': 'Open in an app on this device',
  'set_up_totp.confirm_title': '2. Enter the code that the app shows',
  'set_up_totp.submit': 'Set up',
  'set_up_totp.later': 'Not now',

  'recovery_codes.title': 'Your recovery codes',
  'recovery_codes.once_title': 'Save these codes now',
  'recovery_codes.once':
    'They are shown only this once. Without the app, each lets you in once. Keep them where you keep your passwords, or print this page.',
  'recovery_codes.codes': 'Recovery codes',
  'recovery_codes.save': 'Save as file',
  'recovery_codes.continue': 'I have saved them',

  'two_step.title': 'Two-step verification',
  'two_step.summary': 'A code of an app on your phone, so that a stolen password is not enough.',
  'two_step.manage': 'Manage',
  'two_step.explanation':
    'With two-step verification, signing in takes your password and a code that only your phone shows.',
  'two_step.required': 'Your role requires it, so you can replace it but not remove it.',
  'two_step.app': 'Authenticator app',
  'two_step.on': 'The app is set up',
  'two_step.since': 'Since {day:date}',
  'two_step.off': 'No app is set up',
  'two_step.off_detail': 'Your password alone is enough to sign in.',
  'two_step.replace': 'Change app',
  'two_step.codes_left': 'Unused: {count}. Each replaces the app once.',
  'two_step.few_codes': 'Unused recovery codes that are left: {count}. Make new ones before you need them.',
  'two_step.new_codes': 'Make new codes',
  'two_step.remove_title': 'Turn it off',
  'two_step.remove_detail': 'Removes the app, the recovery codes and the trusted devices.',
  'two_step.remove': 'Remove',
  'two_step.end_trust': 'Trust no longer',
  'notice.sign_in_expired': 'The sign-in took too long, or you began another one. Please sign in again.',
  'notice.totp_removed': 'Two-step verification is off.',
  'notice.codes_repeated':
    'You had sent this form already. Recovery codes are shown only once: if you did not save them, make new ones.',
  'notice.trust_ended': 'The device will be asked for a code again.',

  'problem.code_missing': 'Enter the code that the app shows.',
  'problem.code_wrong':
    'This code is not right, or it was used already. Wait for the next one. If it fails again, check the time of your phone.',
  'problem.recovery_code_missing': 'Enter one of your recovery codes.',
  'problem.recovery_code_wrong': 'This recovery code is not right, or it was used already.',
} as const;
