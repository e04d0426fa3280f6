import type { english } from './english-providers.ts';

/** Texts of the sign-in at other providers in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'providers.or': 'Oder mit einem anderen Konto anmelden',
  'providers.continue': 'Weiter mit {provider}',

  'identities.title': 'Anmeldung mit anderen Konten',
  'identities.detail': 'Konten bei anderen Anbietern, mit denen Sie sich anmelden können',
  'identities.manage': 'Verwalten',
  'identities.explanation': 'Mit diesen Konten bei anderen Anbietern können Sie sich hier anmelden.',
  'identities.none': 'Es ist kein Konto bei einem anderen Anbieter verknüpft.',
  'identities.linked_at': 'Verknüpft',
  'identities.last_used': 'Zuletzt benutzt',
  'identities.never': 'Noch nicht',
  'identities.unlink': 'Verknüpfung lösen',
  'identities.unlink_from': 'mit {provider}',
  'identities.add': 'Weiteres Konto verknüpfen',
  'identities.add_with': '{provider} verknüpfen',

  'link_identity.title': 'Ihr Konto bei {provider} verknüpfen?',
  'link_identity.as': 'Dort sind Sie als {label} angemeldet.',
  'link_identity.consequence': 'Wer sich bei jenem Konto anmelden kann, kann sich dann auch hier anmelden.',
  'link_identity.submit': 'Verknüpfen',

  'signed_out.still_at':
    'Bei {provider} sind Sie noch angemeldet. Melden Sie sich auch dort ab, wenn andere diesen Computer benutzen.',
  'signed_out.at': 'Bei {provider} abmelden',

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
    'Die Anmeldung mit {provider} hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Bitte versuchen Sie es noch einmal.',
  'notice.provider_taken': 'Dieses Konto bei {provider} ist hier mit einem anderen Konto verknüpft.',
  'notice.provider_address_unverified':
    'Bestätigen Sie Ihre E‑Mail-Adresse, bevor Sie {provider} verknüpfen.',
  'notice.provider_last': 'Anders können Sie sich nicht anmelden, deshalb bleibt die Verknüpfung.',
  'notice.identity_linked': 'Sie können sich jetzt mit {provider} anmelden.',
  'notice.identity_unlinked': 'Sie können sich nicht mehr mit {provider} anmelden.',
};
