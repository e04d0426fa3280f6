import type { english } from './english-passkeys.ts';

/** Texts about passkeys in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'sign_in.passkey': 'Mit Passkey anmelden',

  'sign_up.passkey': 'Konto mit Passkey anlegen',
  'sign_up.passkey_hint':
    'Ohne Passwort: Geben Sie nur Namen und Adresse ein. Wir schicken Ihnen einen Link, mit dem Sie einen Passkey anlegen.',
  'sign_up_passkey.title': 'Legen Sie Ihren Passkey an',
  'sign_up_passkey.choose_password': 'Ich möchte lieber ein Passwort wählen',

  'passkeys.title': 'Passkeys',
  'passkeys.explanation':
    'Ein Passkey steckt in Ihrem Telefon, Computer oder Sicherheitsschlüssel. Er meldet Sie mit Fingerabdruck, Gesicht oder PIN an, ohne Passwort, und gilt auf keiner anderen Website.',
  'passkeys.none': 'Sie haben noch keinen Passkey.',
  'passkeys.add': 'Passkey hinzufügen',
  'passkeys.unavailable':
    'Passkeys brauchen eine Adresse mit Domainnamen und https. Dieser Server hat keine.',
  'passkeys.verify_first':
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse. Danach können Sie einen Passkey hinzufügen.',
  'passkeys.verify': 'Adresse bestätigen',
  'passkeys.since': 'Angelegt',
  'passkeys.last_used': 'Zuletzt benutzt',
  'passkeys.never_used': 'Noch nie',
  'passkeys.kept': 'Wo er liegt',
  'passkeys.synced': 'Auf Ihren Geräten abgeglichen',
  'passkeys.on_device': 'Nur auf einem Gerät',
  'passkeys.change': 'Ändern',
  'passkeys.back': 'Zurück zu den Passkeys',

  'new_passkey.title': 'Passkey hinzufügen',
  'new_passkey.name_hint': 'Diesen Namen sehen nur Sie. Er unterscheidet Ihre Passkeys.',
  'new_passkey.default_name': 'Mein Passkey',
  'new_passkey.submit': 'Passkey anlegen',
  'new_passkey.unsupported':
    'Dafür braucht es JavaScript und einen Browser mit Passkeys. Bei Ihrem ist eines davon ausgeschaltet.',
  'new_passkey.failed': 'Es wurde kein Passkey angelegt. Sie können es noch einmal versuchen.',
  'new_passkey.exists': 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',

  'passkey.title': 'Passkey ändern',
  'passkey.remove_title': 'Diesen Passkey entfernen',
  'passkey.remove_explanation':
    'Er öffnet Ihr Konto dann nicht mehr. Löschen Sie ihn auch auf Ihrem Gerät: Dieser Server kann das nicht.',
  'passkey.remove_last':
    'Dieser Passkey ist der einzige Weg in Ihr Konto. Fügen Sie einen weiteren hinzu, oder wählen Sie ein Passwort, bevor Sie ihn entfernen.',
  'passkey.choose_password': 'Passwort wählen',
  'passkey.end_sessions': 'Auch auf allen anderen Geräten abmelden',
  'passkey.end_sessions_detail':
    'Empfohlen, wenn das Gerät verloren ist oder jemand anderem gehört: Wer dort angemeldet ist, bleibt es sonst.',
  'passkey.remove': 'Passkey entfernen',

  'account.passkeys': 'Passkeys',
  'account.passkeys_detail': 'Melden Sie sich mit Fingerabdruck, Gesicht oder PIN statt mit dem Passwort an.',
  'account.change_passkeys': 'Passkeys verwalten',

  'notice.passkey_added': 'Der Passkey „{name}“ wurde hinzugefügt.',
  'notice.passkey_renamed': 'Der Passkey hat einen neuen Namen.',
  'notice.passkey_removed': 'Der Passkey „{name}“ wurde entfernt.',
  'notice.passkey_removed_everywhere':
    'Der Passkey „{name}“ wurde entfernt, und alle anderen Geräte sind abgemeldet.',

  'problem.passkey_invalid':
    'Es wurde kein Passkey angelegt, oder es hat zu lange gedauert. Bitte versuchen Sie es noch einmal.',
  'problem.passkey_rejected':
    'Dieser Passkey öffnet hier kein Konto. Nehmen Sie einen anderen oder Ihr Passwort.',
  'problem.passkey_expired': 'Das hat zu lange gedauert. Bitte benutzen Sie den Passkey noch einmal.',
  'problem.passkey_too_many': 'Sie haben so viele Passkeys wie erlaubt. Entfernen Sie zuerst einen.',
  'problem.passkey_last': 'Dieser Passkey ist der einzige Weg in Ihr Konto und kann nicht entfernt werden.',
};
