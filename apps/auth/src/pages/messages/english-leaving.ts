/** Texts about leaving in English. */
export const english = {
  'download_data.title': 'Download your data',
  'download_data.explanation':
    'You get a ZIP file with your account, sessions, applications, consents and the records of your sign-ins and changes. It contains no passwords or keys.',
  'download_data.helpdesk': 'Your tickets are in the helpdesk; applications can read them there.',
  'download_data.submit': 'Download ZIP file',
  'download_data.back': 'Back to the account',

  'delete_account.title': 'Delete your account',
  'delete_account.at_once': 'You are signed out on all devices, and all applications lose access at once.',
  'delete_account.until': 'Until {day:date} you can sign in again and keep the account.',
  'delete_account.afterwards':
    'Then your account is deleted with your name, address, password and passkeys. Applications that you registered pass to a co-owner, or stop working.',
  'delete_account.helpdesk':
    'The helpdesk then removes your name and e-mail address from its tickets and replies. What you wrote in them stays, because it belongs to the conversations of others.',
  'delete_account.records':
    'Records of your sign-ins stay for a while without your address, so that abuse can be investigated.',
  'delete_account.download': 'Download your data first',
  'delete_account.submit': 'Delete my account',

  'keep_account.title': 'Your account will be deleted',
  'keep_account.explanation': 'The account {email} will be deleted on {day:date}, as you asked.',
  'keep_account.choice': 'You can keep it. Otherwise sign out; there is nothing else to do.',
  'keep_account.submit': 'Keep my account',
  'keep_account.sign_out': 'Sign out',

  'account.leaving': 'Leaving',
  'account.download': 'Your data',
  'account.download_detail': 'Everything that this service stores about your account.',
  'account.download_data': 'Download',
  'account.delete': 'Delete account',
  'account.delete_detail': 'You have some days to change your mind.',
  'account.delete_account': 'Delete …',

  'notice.deletion_requested':
    'Your account will be deleted. The mail that you get has the date. If you change your mind, sign in before.',
  'notice.account_kept': 'Your account stays.',

  'problem.last_administrator':
    'You are the only administrator. Ask for another one to be appointed, so that somebody can manage this service.',
} as const;
