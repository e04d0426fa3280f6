import type { english } from './english-leaving.ts';

/** Texts about leaving in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'download_data.title': 'Ihre Daten herunterladen',
  'download_data.explanation':
    'Sie erhalten eine ZIP-Datei mit Konto, Sitzungen, Anwendungen, Einwilligungen und den Aufzeichnungen über Ihre Anmeldungen und Änderungen. Sie enthält weder Passwörter noch Schlüssel.',
  'download_data.helpdesk': 'Ihre Anfragen liegen im Helpdesk; Anwendungen können sie dort lesen.',
  'download_data.submit': 'ZIP-Datei herunterladen',
  'download_data.back': 'Zurück zum Konto',

  'delete_account.title': 'Konto löschen',
  'delete_account.at_once':
    'Sie werden sofort auf allen Geräten abgemeldet, und alle Anwendungen verlieren den Zugriff.',
  'delete_account.until': 'Bis {day:date} können Sie sich wieder anmelden und das Konto behalten.',
  'delete_account.afterwards':
    'Danach wird Ihr Konto mit Name, Adresse, Passwort und Passkeys gelöscht. Anwendungen, die Sie registriert haben, gehen an einen Mitinhaber über oder funktionieren nicht mehr.',
  'delete_account.helpdesk':
    'Der Helpdesk entfernt dann Ihren Namen und Ihre E-Mail-Adresse aus seinen Anfragen und Antworten. Was Sie darin geschrieben haben, bleibt, weil es zu den Gesprächen anderer gehört.',
  'delete_account.records':
    'Aufzeichnungen über Ihre Anmeldungen bleiben ohne Ihre Adresse eine Zeit lang erhalten, damit sich Missbrauch aufklären lässt.',
  'delete_account.download': 'Vorher Ihre Daten herunterladen',
  'delete_account.submit': 'Mein Konto löschen',

  'keep_account.title': 'Ihr Konto wird gelöscht',
  'keep_account.explanation': 'Das Konto {email} wird am {day:date} gelöscht, wie Sie es gewünscht haben.',
  'keep_account.choice': 'Sie können es behalten. Sonst melden Sie sich ab; mehr ist nicht zu tun.',
  'keep_account.submit': 'Mein Konto behalten',
  'keep_account.sign_out': 'Abmelden',

  'account.leaving': 'Abschied',
  'account.download': 'Ihre Daten',
  'account.download_detail': 'Alles, was dieser Dienst über Ihr Konto speichert.',
  'account.download_data': 'Herunterladen',
  'account.delete': 'Konto löschen',
  'account.delete_detail': 'Sie haben einige Tage Zeit, es sich anders zu überlegen.',
  'account.delete_account': 'Löschen …',

  'notice.deletion_requested':
    'Ihr Konto wird gelöscht. Das Datum steht in der Nachricht, die Sie erhalten. Wenn Sie es sich anders überlegen, melden Sie sich vorher an.',
  'notice.account_kept': 'Ihr Konto bleibt bestehen.',

  'problem.last_administrator':
    'Nur Sie verwalten diesen Dienst. Lassen Sie zuerst eine zweite Person dazu bestimmen, damit das jemand kann.',
};
