import { applicationMessages } from './english-application-texts.ts';
import type { Catalogue } from './message-texts.ts';

/** English texts of all mails. */
export const english: Catalogue = {
  greeting: 'Hello,',
  closing: 'This mail was sent by {service} on its own. Nobody reads answers to it.',
  duration: {
    days: '{count} days',
    hours: ['1 hour', '{count} hours'],
    minutes: ['1 minute', '{count} minutes'],
  },
  device: {
    full: '{browser} on {system}',
    browserOnly: '{browser}',
    systemOnly: 'an unknown browser on {system}',
    unknown: 'an unknown device',
  },
  messages: {
    verify_email: {
      subject: 'Confirm your e-mail address for {service}',
      before: [
        'an account at {service} was opened with the address {email}. Please confirm that the address is yours:',
      ],
      action: 'Confirm the address',
      after: [
        'The link works for {duration}. You will be asked for the password that you chose.',
        'If you did not open an account, ignore this mail: without your confirmation the account cannot act in your name.',
      ],
    },
    create_passkey: {
      subject: 'Create your passkey for {service}',
      before: [
        'an account at {service} was opened with the address {email}. Please confirm that the address is yours by creating a passkey, on the device with which you want to sign in:',
      ],
      action: 'Create a passkey',
      after: [
        'The link works once, for {duration}.',
        'If you did not open an account, ignore this mail: without your passkey, no person can use the account.',
      ],
    },
    address_in_use: {
      subject: 'You already have an account at {service}',
      before: [
        'somebody wanted to use the address {email} for an account at {service}, but you have an account with this address already.',
        'If that was you, just sign in. If you forgot the password, you can choose a new one there:',
      ],
      action: 'Go to {service}',
      after: ['If it was not you, there is nothing to do: nobody was given access and nothing was changed.'],
    },
    reset_password: {
      subject: 'Choose a new password for {service}',
      before: ['somebody, hopefully you, asked for a new password for your account {email} at {service}:'],
      action: 'Choose a new password',
      after: [
        'The link works once, for {duration}.',
        'If you did not ask for it, ignore this mail: your password stays as it is.',
      ],
    },
    password_changed: {
      subject: 'Your password for {service} was changed',
      before: [
        'the password of your account {email} at {service} has just been changed, and all devices and applications were signed out.',
        'If you did this, there is nothing more to do. If you did not, choose a new password at once:',
      ],
      action: 'Choose a new password',
      after: [
        'Passkeys of the account still open it. If somebody else had access, remove those that you do not know.',
      ],
    },
    password_removed: {
      subject: 'Your password for {service} was removed',
      before: [
        'the password of your account {email} at {service} was just removed, and all devices and applications were signed out. You sign in with a passkey or an account at another provider from now on.',
        'If you did this, there is nothing more to do. If you did not, choose a new password at once:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    second_factor_added: {
      subject: 'Two-step verification is on for your account at {service}',
      before: [
        'an authenticator app was set up for your account {email} at {service}. From now on, signing in takes a code of this app, too.',
        'If you did this, there is nothing more to do. Keep the recovery codes in a safe place: they let you in if you lose the app. If it was not you, choose a new password at once, then ask the people who run {service} to reset your second factor:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    second_factor_removed: {
      subject: 'Two-step verification is off for your account at {service}',
      before: [
        'the authenticator app of your account {email} at {service} was removed, with its recovery codes. The password alone is enough to sign in now.',
        'If you did this, there is nothing more to do. If you did not, choose a new password at once:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    second_factor_reset: {
      subject: 'Your second factor at {service} was reset',
      before: [
        'the people who run {service} removed the authenticator app, the recovery codes and the passkeys of your account {email}, and signed you out everywhere.',
        'Sign in to set up a new one. If your account has no password, choose one there with “Forgot your password?”:',
      ],
      action: 'Sign in',
      after: ['If you did not ask for this, tell the people who run {service} at once.'],
    },
    recovery_code_used: {
      subject: 'A recovery code of your account at {service} was used',
      before: [
        'a recovery code was used instead of a code of your authenticator app to sign in to your account {email} at {service}.',
        'Unused recovery codes that are left: {count}. You can make new ones on the page of your account:',
      ],
      action: 'Go to my account',
      after: ['If it was not you, choose a new password and make new recovery codes at once.'],
    },
    recovery_codes_replaced: {
      subject: 'New recovery codes for your account at {service}',
      before: [
        'new recovery codes were made for your account {email} at {service}. The old ones no longer work.',
        'If you did this, there is nothing more to do. If you did not, choose a new password at once:',
      ],
      action: 'Go to my account',
      after: [],
    },
    identity_linked: {
      subject: 'An account at {provider} was linked at {service}',
      before: [
        'your account {email} at {service} can now be used with an account at {provider}.',
        'If you did this, there is nothing more to do. If you did not, choose a new password and unlink the account at {provider} on the page of your account:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    identity_unlinked: {
      subject: 'An account at {provider} was unlinked at {service}',
      before: [
        'your account {email} at {service} can no longer be used with your account at {provider}.',
        'If you did this, there is nothing more to do. If you did not, choose a new password at once:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    change_email: {
      subject: 'Confirm your new e-mail address for {service}',
      before: [
        'you asked to use {email} as the new address of your account at {service}. Please confirm it:',
      ],
      action: 'Confirm the new address',
      after: [
        'The link works once, for {duration}. You have to be signed in to your account.',
        'If you have no account at {service}, ignore this mail: somebody probably mistyped an address.',
      ],
    },
    email_change_requested: {
      subject: 'A new e-mail address for your account at {service} was requested',
      before: [
        'somebody who is signed in to your account at {service} asked to change its address from {email} to {newEmail}. The change takes effect when it is confirmed from the new address.',
        'If that was not you, change your password at once:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    email_changed: {
      subject: 'Your e-mail address at {service} was changed',
      before: [
        'the address of your account at {service} was changed from {email} to {newEmail}. This address does not open the account any more.',
        'If that was not you, turn to the operator of {service} at once:',
      ],
      action: 'Go to {service}',
      after: [],
    },
    email_change_undoable: {
      subject: 'Your e-mail address at {service} was changed',
      before: [
        'the address of your account at {service} was changed from {email} to {newEmail}. This address does not open the account any more.',
        'If this was you, there is nothing to do. If it was not, take the change back:',
      ],
      action: 'This was not me',
      after: [
        'The link works once, for {duration}. It opens a page on which you confirm. Then the account has this address again, everybody is signed out, and you choose a new password.',
      ],
    },
    email_change_undone: {
      subject: 'The address of an account at {service} was changed back',
      before: [
        'an account at {service} had the address {email}. A person who reads the mails to its earlier address took that change back, so {email} no longer opens the account.',
        'If the account is yours, turn to the operator of {service}:',
      ],
      action: 'Go to {service}',
      after: [],
    },
    email_restored: {
      subject: 'Your account at {service} has its earlier address again',
      before: [
        'your account at {service} has the address {email} again. All devices and applications were signed out, and the old password does not work any more. Choose a new one:',
      ],
      action: 'Choose a new password',
      after: [
        'The link works once, for {duration}. Then look through your passkeys, linked accounts and applications.',
      ],
    },
    passkey_added: {
      subject: 'A passkey was added to your account at {service}',
      before: [
        'a passkey was just added to your account {email} at {service}. It opens the account without a password.',
        'If you did this, there is nothing more to do. If you did not, remove it, sign out everywhere and choose another password at once:',
      ],
      action: 'Check your account',
      after: [],
    },
    passkey_removed: {
      subject: 'A passkey was removed from your account at {service}',
      before: [
        'a passkey was just removed from your account {email} at {service}. It does not open the account any more.',
        'If you did this, there is nothing more to do. If you did not, sign out everywhere and choose another password at once:',
      ],
      action: 'Check your account',
      after: [],
    },
    deletion_requested: {
      subject: 'Your account at {service} will be deleted on {day}',
      before: [
        'your account {email} at {service} will be deleted on {day}, as you asked. All devices and applications have been signed out.',
        'If you change your mind, sign in before that day and keep the account. If it was not you who asked, do so at once and choose a new password:',
      ],
      action: 'Sign in and keep the account',
      after: [],
    },
    deletion_cancelled: {
      subject: 'Your account at {service} stays',
      before: [
        'your account {email} at {service} will not be deleted.',
        'If it was not you who kept it, choose a new password at once and delete the account again:',
      ],
      action: 'Check the account',
      after: [],
    },
    new_device: {
      subject: 'New sign-in to your account at {service}',
      before: [
        'your account {email} at {service} was used to sign in on a new device: {device}, network address {address}, {at}.',
        'If this was you, there is nothing to do. If it was not, sign this device out and choose another password:',
      ],
      action: 'This was not me',
      after: ['The link works once, for {duration}. It opens a page on which you confirm.'],
    },
    ...applicationMessages,
  },
};
