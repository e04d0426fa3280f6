/** German texts about sessions. */
export const german = {
  'notice.session_ended': 'Das Gerät ist abgemeldet, mit den Anwendungen, die dort benutzt wurden.',
  'notice.other_sessions_ended':
    'Sie sind auf allen anderen Geräten abgemeldet, und in den dort benutzten Anwendungen.',

  'sessions.title': 'Wo Sie angemeldet sind',
  'sessions.explanation':
    'Wenn Sie ein Gerät nicht kennen, melden Sie es ab und ändern Sie Ihr Passwort. Eine Anwendung, die dort benutzt wurde, verliert den Zugriff binnen Sekunden.',
  'sessions.this_device': 'Dieses Gerät',
  'sessions.address': 'Netzwerkadresse',
  'sessions.first_seen': 'Angemeldet',
  'sessions.last_seen': 'Zuletzt benutzt',
  'sessions.applications': 'Anwendungen',
  'sessions.no_applications': 'Keine',
  'sessions.end': 'Abmelden',
  'sessions.end_others': 'Alle anderen Geräte abmelden',
  'sessions.trusted_title': 'Geräte ohne zweiten Schritt',
  'sessions.trusted_explanation':
    'Auf diesen Geräten genügt das Passwort. Jede Änderung an Ihrer Anmeldung beendet das, ebenso die Abmeldung überall.',
  'sessions.trusted_since': 'Seit {since:date}, bis {until:date}',

  'notice.email_restored':
    'Das Konto hat wieder diese Adresse. Alle Geräte sind abgemeldet, und das alte Passwort gilt nicht mehr.',
  'notice.sign_in_disowned': 'Alle Geräte sind abgemeldet, und das alte Passwort gilt nicht mehr.',
  'disown.title': 'Das war ich nicht',
  'disown.account': 'Für das Konto {email}.',
  'disown.consequence':
    'Wir melden jedes Gerät und jede Anwendung ab und entfernen Passkeys, Authentifizierungs-Apps und verknüpfte Konten, die seit dieser Anmeldung hinzugekommen sind. Das Passwort gilt nicht mehr, und wir schicken Ihnen einen Link, um ein anderes zu wählen.',
  'disown.submit': 'Überall abmelden',
  'disown.address':
    'Die Adresse Ihres Kontos wurde geändert. Sie können das zurücknehmen: {email} wird wieder seine Adresse.',
  'disown.consequence_address':
    'Wir melden jedes Gerät und jede Anwendung ab und entfernen Passkeys, Authentifizierungs-Apps und verknüpfte Konten, die seit der Anmeldung hinzugekommen sind, mit der die Adresse geändert wurde. Das Passwort gilt nicht mehr, und wir schicken Ihnen einen Link, um ein anderes zu wählen.',
  'disown.submit_address': 'Mein Konto zurückholen',
  'disown.otherwise':
    'Wenn Sie sich doch selbst angemeldet haben, schließen Sie diese Seite: Nichts ändert sich.',
  'disown.otherwise_address':
    'Wenn Sie die Adresse doch selbst geändert haben, schließen Sie diese Seite: Nichts ändert sich.',

  'device.full': '{browser} auf {system}',
  'device.browser_only': '{browser}',
  'device.system_only': 'Unbekannter Browser auf {system}',
  'device.unknown': 'Unbekanntes Gerät',

  'account.sessions': 'Wo Sie angemeldet sind',
  'account.show_sessions': 'Geräte ansehen',
  'account.sessions_detail': 'Sehen Sie Ihre Geräte und melden Sie eines oder alle anderen ab.',
} as const;
