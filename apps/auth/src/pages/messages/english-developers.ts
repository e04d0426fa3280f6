/** The part of the catalogue that only developers see, in English. */
export const english = {
  'applications.title': 'My applications',
  'applications.explanation': 'Programs that you have registered. Each has an id of its own.',
  'applications.register': 'Register an application',
  'applications.none_title': 'Nothing registered yet',
  'applications.none': 'Register your first application to get a client id and code that you can paste.',
  'applications.quota': '{used} of {limit} registered',
  'applications.client_id': 'Client id',
  'applications.created': 'Registered on',
  'applications.disabled': 'Disabled',

  'type.machine': 'Machine',
  'type.machine_detail':
    'A program that works on its own, with no person signed in: a script, a nightly job.',
  'type.machine_preset': 'Gets a secret and uses client credentials. An administrator gives it its role.',
  'type.web': 'Web application',
  'type.web_detail': 'Runs on a server, and people sign in to it with their browser.',
  'type.web_preset':
    'Gets a secret. Authorization code with PKCE; redirects to https, or to localhost while you try it out.',
  'type.spa': 'Single-page application',
  'type.spa_detail': 'Runs wholly in the browser and cannot keep a secret.',
  'type.spa_preset':
    'No secret. Authorization code with PKCE; redirects to https, or to localhost while you try it out.',
  'type.native': 'Native or mobile application',
  'type.native_detail': 'Is installed on a phone or a computer.',
  'type.native_preset':
    'No secret. Authorization code with PKCE; redirects to 127.0.0.1, to your own scheme or to https.',

  'application_form.title_register': 'Register an application',
  'application_form.title_edit': 'Edit {application}',
  'application_form.type': 'What are you building?',
  'application_form.type_hint': 'This presets what is safe for it and cannot be changed later.',
  'application_form.about': 'About the application',
  'application_form.about_hint': 'People see this when they are asked to allow it.',
  'application_form.home_page': 'Home page',
  'application_form.policy_uri': 'Privacy policy',
  'application_form.tos_uri': 'Terms of service',
  'application_form.redirects': 'Redirects',
  'application_form.redirect_uris': 'Redirect URIs',
  'application_form.redirect_uris_hint':
    'Where people come back to after signing in. One a line, compared exactly.',
  'application_form.post_logout_redirect_uris': 'Redirect URIs after sign-out',
  'application_form.post_logout_redirect_uris_hint': 'One a line.',
  'application_form.scopes': 'Permissions',
  'application_form.scopes_hint': 'What it may ask for. Ask for no more than it needs.',
  'application_form.register': 'Register',

  'application_page.overview': 'Overview',
  'application_page.type': 'Kind',
  'application_page.home_page': 'Home page',
  'application_page.role': 'Role',
  'application_page.role_none':
    'None yet. An administrator has to give it one before it can read or change tickets.',
  'application_page.unverified': 'People are told that it is not verified when they are asked to allow it.',
  'application_page.disabled': 'An administrator has disabled this application. It gets no tokens.',
  'application_page.edit': 'Edit',
  'application_page.remove': 'Remove application',
  'application_page.secrets': 'Secrets',
  'application_page.secrets_hint':
    'To change a secret without an outage, add one, put it into your program, then remove the old one.',
  'application_page.secret': 'Secret ending in {hint}',
  'application_page.secret_created': 'Created',
  'application_page.secret_last_used': 'Last used',
  'application_page.secret_expires': 'Expires',
  'application_page.never': 'Never',
  'application_page.secret_add': 'Add a secret',
  'application_page.secret_remove': 'Remove',
  'application_page.no_secrets': 'There is no secret. Add one so that the application can get tokens.',
  'application_page.try': 'Try it',
  'application_page.try_secret': 'The secret comes from the environment variable CLIENT_SECRET.',
  'application_page.snippet_curl': 'curl, in a terminal',
  'application_page.snippet_javascript': 'JavaScript, with openid-client',

  'secret_shown.title': 'Here is the secret',
  'secret_shown.once_title': 'We show it only now',
  'secret_shown.once':
    'We keep a fingerprint of it and cannot show it again. Put it where your program reads it.',
  'secret_shown.secret': 'Client secret',
  'secret_shown.environment': 'For a terminal',
  'secret_shown.old_expires': 'The old secret works until {at:date}.',
  'secret_shown.continue': 'I have saved it',

  'remove_application.title': 'Remove {application}?',
  'remove_application.explanation':
    'Its secrets and tokens stop working at once, and everybody who uses it is disconnected. This cannot be undone.',
  'remove_application.submit': 'Remove for good',
} as const;
