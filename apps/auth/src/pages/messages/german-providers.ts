import type { english } from './english-providers.ts';

/** Texts of the sign-in at other providers in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'providers.or': 'Oder mit einem anderen Konto anmelden',
  'providers.continue': 'Weiter mit {provider}',

  'notice.provider_domain_not_allowed':
    'Ihr Konto bei {provider} gehört zu keiner Organisation, die sich hier anmelden darf.',
  'notice.provider_email_unverified':
    '{provider} hat Ihre E‑Mail-Adresse nicht bestätigt. Melden Sie sich anders an oder legen Sie ein Konto an; auf der Seite Ihres Kontos können Sie {provider} verknüpfen.',
  'notice.provider_sign_up_closed': 'Sie haben hier kein Konto. Wenden Sie sich an die Verwaltung.',
  'notice.provider_account_disabled': 'Ihr Konto ist gesperrt. Wenden Sie sich an die Verwaltung.',
  'notice.provider_sign_in_first':
    'Mit dieser E‑Mail-Adresse haben Sie schon ein Konto. Melden Sie sich dort wie gewohnt an; auf der Seite Ihres Kontos können Sie {provider} verknüpfen.',
  'notice.provider_denied': 'Die Anmeldung mit {provider} wurde abgebrochen.',
  'notice.provider_unavailable':
    '{provider} antwortet gerade nicht. Melden Sie sich anders an oder versuchen Sie es später noch einmal.',
  'notice.provider_failed':
    'Die Anmeldung mit {provider} ist fehlgeschlagen. Bitte versuchen Sie es noch einmal.',
  'notice.provider_expired':
    'Die Anmeldung mit {provider} hat zu lange gedauert oder wurde in einem anderen Fenster begonnen. Bitte versuchen Sie es noch einmal.',
};
