/** What the pages say when something went wrong, in English. */
export const english = {
  'problems.title': 'Please check what you entered',
  'problem.credentials_invalid': 'The e-mail address or the password is not right.',
  'problem.too_many_attempts': 'Too many attempts. Please try again in {wait:duration}.',
  'problem.form_expired': 'This page had been open for too long. Please send it again.',
  'problem.changed_meanwhile': 'Somebody changed this in the meantime. Please check it and send it again.',
  'problem.email_missing': 'Enter your e-mail address.',
  'problem.email_invalid': 'Enter an e-mail address such as name@example.com.',
  'problem.email_same': 'This is already your e-mail address.',
  'problem.name_missing': 'Enter a name.',
  'problem.name_invalid': 'The name has characters that nobody can read. Please type it again.',
  'problem.name_too_long': 'Use at most {max} characters for the name.',
  'problem.password_missing': 'Enter a password.',
  'problem.password_too_short': 'Use at least {min} characters for the password.',
  'problem.password_too_long': 'Use at most {max} characters for the password.',
  'problem.password_common':
    'Many people use this password or the word in it, so attackers try it first. Digits and signs around a word do not help. Please choose another one.',
  'problem.password_breached':
    'This password was published in a data breach of another service, so attackers try it. Please choose another one.',
  'problem.password_personal':
    'The password is made of your e-mail address or the name of this service, so attackers try it first. Please choose another one.',
  'problem.password_too_simple':
    'The password repeats a few characters again and again. Please choose another one.',
  'problem.password_same': 'This is already your password. Please choose another one.',
  'problem.password_wrong': 'Your current password is not right.',
  'problem.user_code_missing': 'Enter the code that your device shows.',
  'problem.user_code_unknown': 'This code is not right. Please compare it with the one on your device.',
  'problem.user_code_expired': 'This code has expired. Let your device show a new one.',
  'problem.user_code_used': 'This code has been used already. Let your device show a new one.',
  'problem.device_aborted': 'You stopped this request. The device was not connected.',
  'problem.type_missing': 'Choose what you are building.',
  'problem.home_page_invalid': 'Enter the whole address of the home page, beginning with https://.',
  'problem.policy_uri_invalid': 'Enter the whole address of the privacy policy, beginning with https://.',
  'problem.tos_uri_invalid': 'Enter the whole address of the terms of service, beginning with https://.',
  'problem.redirect_uri_missing': 'Enter at least one redirect URI.',
  'problem.redirect_uri_invalid': '“{uri}” is not an absolute URI.',
  'problem.redirect_uri_wildcard':
    '“{uri}” must not have a * in its host. Addresses are compared exactly: enter each one by itself.',
  'problem.redirect_uri_fragment': '“{uri}” must not have a fragment (#…).',
  'problem.redirect_uri_not_https':
    '“{uri}” must begin with https://, or with http://localhost while you try it out.',
  'problem.redirect_uri_scheme':
    '“{uri}” must begin with https://, with a scheme of your own that has a dot (com.example.app:/…), or with http://127.0.0.1/.',
  'problem.jwks_invalid':
    '“{place}” is not valid. Paste a JSON Web Key Set of public signing keys: EC (P-256, P-384), Ed25519, or RSA of 2048 bits or more.',
  'problem.jwks_unsuitable':
    'Only machines and web applications sign with a key. Leave the public keys empty.',
  'problem.jwks_not_fapi':
    'Under FAPI 2.0 each key signs with ES256, PS256 or EdDSA. Paste keys for these, on P-256, Ed25519 or RSA.',
  'problem.redirect_uri_not_fapi':
    'Under FAPI 2.0 each redirect URI begins with https://. Replace the others.',
  'problem.algorithm_unknown': 'Choose one of the algorithms in the list.',
  'problem.unsuitable': 'This does not suit the kind of the application. Leave it empty.',
  'problem.redirect_uris_too_many': 'Enter at most {max} redirect URIs.',
  'problem.scopes_missing': 'Choose at least one permission.',
  'problem.scope_not_allowed': 'This application may not ask for “{scope}”.',
  'problem.quota_reached': 'You have registered {limit} applications, as many as you may. Remove one first.',
  'problem.logo_missing': 'Choose a file with the logo.',
  'problem.logo_too_large': 'The file is too large. Choose one of at most {kilobytes} KB.',
  'problem.logo_unsupported':
    'This is not a PNG, JPEG or WebP image. Choose one of these; SVG can contain programs and is not accepted.',
  'problem.logo_damaged': 'The image is incomplete or damaged. Export it again, then choose the new file.',
  'problem.logo_animated': 'The image is animated. Choose one that stands still.',
  'problem.logo_dimensions':
    'The image is too small or too large. Choose one with {min} to {max} pixels on each side.',
  'problem.upload_invalid':
    'The file did not arrive as this page sends it. Choose it again and send it once more.',
  'problem.role_missing': 'Choose a role.',
  'problem.role_same': 'The application has this role already.',
  'problem.reason_missing': 'Enter a reason.',
  'problem.reason_invalid': 'The reason has characters that nobody can read. Please type it once more.',
  'problem.reason_too_long': 'Use at most {max} characters for the reason.',
  'problem.invited_email_missing': 'Enter the e-mail address of the person to invite.',
  'problem.already_invited':
    'This address is invited already. To send a new link, withdraw that invitation first.',
  'problem.already_owner': 'This address belongs to an owner of the application.',
  'problem.co_owners_full':
    'There are {max} co-owners or invitations, as many as there can be. Remove one first.',
  'problem.new_owner_full':
    'This co-owner cannot become the owner now: they own as many applications as they may, or were disabled.',
  'problem.secrets_full': 'There are {max} secrets already. Remove one first.',

  'error.interaction_expired.title': 'This page has expired',
  'error.interaction_expired.text':
    'The sign-in was finished already, took too long, or you came here with the back button of your browser. Nothing is lost: go back to the application and start again.',
  'error.other_tab.title': 'You continued in another tab',
  'error.other_tab.text':
    'This sign-in was started or finished in another tab or window. Continue there, or go back to the application and start again.',
  'error.redirect_uri_mismatch.title': 'The application sent you here with a wrong address',
  'error.redirect_uri_mismatch.text':
    'The address to which you would go back is not registered for it. To protect you we stop here. Please show this page to whoever makes the application: only they can put this right.',
  'error.unknown_client.title': 'We do not know this application',
  'error.unknown_client.text':
    'It is not registered here, or it was removed or disabled. If you came by an old link, open the application again. If you end up here again, please show this page to whoever makes it.',
  'error.invalid_request.title': 'The application asked for something that does not work',
  'error.invalid_request.text':
    'Its request is faulty, so we stop here. Please show this page to whoever makes the application: only they can put this right.',
  'error.cookies_blocked.title': 'Your browser keeps no cookies',
  'error.cookies_blocked.text':
    'Without cookies we cannot keep you signed in. Allow them for this site in the settings of your browser, then start again.',
  'error.access_denied.title': 'You may not do this',
  'error.access_denied.text':
    'Your account is not allowed to see this page. Are you signed in with the right one?',
  'error.sign_in_too_weak.title': 'Your sign-in is not strong enough',
  'error.sign_in_too_weak.text':
    'What you asked for takes a passkey. Add one to your account, then start again and sign in with it.',
  'error.form_expired.title': 'Please send it again',
  'error.form_expired.text':
    'This page had been open for too long, or it was opened in another window. Nothing has been changed.',
  'error.address_in_use.title': 'Another account has this address',
  'error.address_in_use.text':
    'An address belongs to one account at a time. If the other account is yours, sign in to it and change its address or ask the operator. Then open the link in the mail again: it still works.',
  'error.invalid_link.title': 'This link does not work any more',
  'error.invalid_link.text': 'A link works once and for a limited time. You can ask for a new one.',
  'error.not_found.title': 'There is nothing here',
  'error.not_found.text': 'The address is wrong, or what was here has been removed.',
  'error.too_large.title': 'That was too much at once',
  'error.too_large.text':
    'What you entered is longer than we can take. Nothing has been changed: go back, shorten it and send it again.',
  'error.too_many_attempts.title': 'Too many attempts',
  'error.too_many_attempts.text': 'To protect your account we wait a little before the next attempt.',
  'error.unavailable.title': 'We will be back soon',
  'error.unavailable.text':
    'The service cannot answer right now. Your data is safe. Please try again in a while.',
  'error.unexpected.title': 'Something went wrong on our side',
  'error.unexpected.text':
    'This was not your fault. Please try again; if it happens again, tell us the request number.',

  'error_page.wait': 'Please try again in {wait:duration}.',
  'error_page.request': 'Request number',
  'error_page.developers': 'Details for developers',
  'error_page.code': 'Error',
  'error_page.description': 'Description',
  'error_page.redirect_uri': 'Redirect URI of the request',
  'error_page.retry': 'Try again',
  'error_page.application': 'Back to {application}',
  'error_page.sign_in': 'Sign in',
  'error_page.sign_out': 'Sign out here',
  'error_page.other_account': 'Use another account',
  'error_page.new_link': 'Get new link',
  'error_page.account': 'Go to my account',
} as const;
