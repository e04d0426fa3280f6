import type { Translation } from '../messages.ts';
import { german as developers } from './german-developers.ts';
import { german as problems } from './german-problems.ts';

/** The catalogue in German, in the formal address. */
export const german: Translation = {
  ...developers,
  ...problems,

  'layout.skip': 'Zum Inhalt springen',
  'layout.error_title': 'Fehler: {title}',
  'layout.page_title': '{title} – {brand}',
  'layout.languages': 'Sprache',
  'layout.legal': 'Über diesen Dienst',
  'layout.privacy': 'Datenschutz',
  'layout.terms': 'Nutzungsbedingungen',
  'layout.imprint': 'Impressum',
  'layout.support': 'Hilfe',

  'shell.navigation': 'Konto',
  'shell.account': 'Mein Konto',
  'shell.connected_applications': 'Verbundene Anwendungen',
  'shell.applications': 'Meine Anwendungen',
  'shell.sign_out': 'Abmelden',

  'form.email': 'E-Mail-Adresse',
  'form.name': 'Name',
  'form.password': 'Passwort',
  'form.new_password': 'Neues Passwort',
  'form.current_password': 'Aktuelles Passwort',
  'form.password_hint':
    'Mindestens {min} Zeichen. Mehrere Wörter hintereinander sind leicht zu merken und schwer zu erraten.',
  'form.optional': '{label} (freiwillig)',
  'form.error': 'Fehler:',
  'form.cancel': 'Abbrechen',
  'form.save': 'Speichern',

  'notice.name_changed': 'Ihr Name wurde geändert.',
  'notice.name_changed_unverified':
    'Ihr Name wurde geändert. Die Administration muss Ihre Anwendungen noch einmal prüfen.',
  'notice.password_changed': 'Ihr Passwort wurde geändert.',
  'notice.password_reset': 'Ihr Passwort wurde geändert. Melden Sie sich mit dem neuen an.',
  'notice.signed_out_everywhere': 'Sie sind auf allen Geräten und in allen Anwendungen abgemeldet.',
  'notice.email_verified': 'Ihre E-Mail-Adresse ist bestätigt. Sie können sich jetzt anmelden.',
  'notice.application_revoked': '{application} kann Ihr Konto nicht mehr nutzen.',
  'notice.application_saved': 'Ihre Änderungen wurden gespeichert.',
  'notice.application_unverified':
    'Ihre Änderungen sind gespeichert. Die Administration muss die Anwendung noch einmal prüfen.',
  'notice.application_removed': '{application} wurde entfernt.',
  'notice.secret_removed': 'Das Geheimnis wurde entfernt. Niemand kann es mehr benutzen.',
  'notice.form_repeated':
    'Sie hatten dieses Formular schon abgeschickt, deshalb ist nichts noch einmal geschehen. Ein Geheimnis wird nur einmal gezeigt: Falls Sie es verloren haben, fügen Sie der Anwendung ein weiteres hinzu.',
  'notice.mail_sent': 'Wir haben die Nachricht noch einmal geschickt.',

  'sign_in.title': 'Anmelden',
  'sign_in.title_again': 'Bitte melden Sie sich noch einmal an',
  'sign_in.continue_to': 'weiter zu {application}',
  'sign_in.again': 'Zu Ihrer Sicherheit fragen wir noch einmal nach Ihrem Passwort.',
  'sign_in.submit': 'Anmelden',
  'sign_in.forgot_password': 'Passwort vergessen?',
  'sign_in.new_here': 'Neu hier?',
  'sign_in.create_account': 'Konto anlegen',
  'sign_in.cancel': 'Abbrechen und zurück zu {application}',

  'sign_up.title': 'Konto anlegen',
  'sign_up.submit': 'Konto anlegen',
  'sign_up.have_account': 'Haben Sie schon ein Konto?',
  'sign_up.sign_in': 'Anmelden',
  'sign_up.name_hint': 'So sprechen wir Sie an.',

  'check_mail.title': 'Sehen Sie in Ihr Postfach',
  'check_mail.sign_up':
    'Wir haben eine Nachricht an {email} geschickt. Öffnen Sie den Link darin, um die Adresse zu bestätigen.',
  'check_mail.password_reset':
    'Wenn es ein Konto für {email} gibt, haben wir eine Nachricht dorthin geschickt. Öffnen Sie den Link darin, um ein neues Passwort zu wählen.',
  'check_mail.email_change':
    'Wir haben eine Nachricht an {email} geschickt. Ihre Adresse ändert sich, sobald Sie den Link darin öffnen.',
  'check_mail.expires': 'Der Link gilt einmal, für {validity:duration}.',
  'check_mail.nothing_came':
    'Nichts angekommen? Sehen Sie im Spam-Ordner nach, oder wir schicken sie noch einmal.',
  'check_mail.resend': 'Noch einmal schicken',
  'check_mail.sign_in': 'Zurück zur Anmeldung',
  'check_mail.account': 'Zurück zu meinem Konto',

  'verify_email.title': 'Bestätigen Sie Ihre E-Mail-Adresse',
  'verify_email.explanation': 'Noch ein Schritt: Bestätigen Sie, dass {email} Ihre Adresse ist.',
  'verify_email.submit': 'Diese Adresse bestätigen',
  'verification.verified_title': 'Ihre Adresse ist bestätigt',
  'verification.verified_text': 'Vielen Dank. {email} ist bestätigt.',
  'verification.continue': 'Weiter',
  'verification.invalid_title': 'Dieser Link gilt nicht mehr',
  'verification.invalid_text':
    'Ein Link gilt einmal und nur für begrenzte Zeit. Ist Ihre Adresse noch nicht bestätigt, schicken wir Ihnen einen neuen.',
  'verification.new_link': 'Neuen Link anfordern',

  'forgot_password.title': 'Neues Passwort wählen',
  'forgot_password.explanation':
    'Nennen Sie uns Ihre E-Mail-Adresse. Wir schicken Ihnen einen Link, um ein neues Passwort zu wählen.',
  'forgot_password.submit': 'Link schicken',
  'forgot_password.back': 'Zurück zur Anmeldung',

  'reset_password.title': 'Neues Passwort wählen',
  'reset_password.account': 'Für das Konto {email}.',
  'reset_password.consequence': 'Anwendungen, die Ihr Konto nutzen, müssen Sie danach neu fragen.',
  'reset_password.submit': 'Passwort ändern',

  'change_name.title': 'Namen ändern',
  'change_password.title': 'Passwort ändern',
  'change_email.title': 'E-Mail-Adresse ändern',
  'change_email.current': 'Ihre Adresse ist {email}.',
  'change_email.new_email': 'Neue E-Mail-Adresse',
  'change_email.explanation':
    'Wir schicken einen Link an die neue Adresse. Solange Sie ihn nicht öffnen, ändert sich nichts.',
  'change_email.submit': 'Link schicken',

  'application.by': 'von {owner}',
  'application.policy': 'Datenschutzerklärung von {application}',
  'application.terms': 'Nutzungsbedingungen von {application}',
  'application.verified': 'Von {brand} geprüft',
  'application.unverified': 'Nicht geprüft',
  'application.warning_title': '{brand} hat diese Anwendung nicht geprüft',
  'application.warning':
    'Jeder kann eine Anwendung unter jedem Namen registrieren. Erlauben Sie den Zugriff nur, wenn Sie wissen, von wem sie stammt und wofür Sie sie brauchen.',
  'application.document_title': 'Diese Anwendung beschreibt sich selbst, auf {host}',
  'application.document':
    'Ihren Namen hat {host} gewählt; {brand} hat sie nicht geprüft. Erlauben Sie den Zugriff nur, wenn Sie {host} vertrauen.',
  'application.on_device':
    'Sie läuft auf Ihrem Gerät, wo sich andere Programme für sie ausgeben können. Erlauben Sie den Zugriff nur, wenn Sie sie gerade selbst verbunden haben.',

  'consent.title': '{application} möchte Ihr Konto nutzen',
  'consent.signed_in_as': 'Angemeldet als',
  'consent.other_account': 'Anderes Konto verwenden',
  'consent.asks': 'Die Anwendung kann dann',
  'consent.asks_more': 'Die Anwendung kann dann zusätzlich',
  'consent.granted': 'Was Sie früher erlaubt haben',
  'consent.returns_to': 'Danach gelangen Sie zu {host}.',
  'consent.revocable': 'Das können Sie jederzeit unter „Verbundene Anwendungen“ zurücknehmen.',
  'consent.allow': 'Erlauben',
  'consent.deny': 'Nicht erlauben',

  'scope.openid': 'Sie wiedererkennen',
  'scope.openid_detail': 'Damit Sie beim nächsten Mal wiedererkannt werden.',
  'scope.profile': 'Ihr Profil sehen',
  'scope.profile_detail': 'Name, Sprache, Zeitzone und was sonst darin steht, etwa Ihr Geburtstag.',
  'scope.email': 'Ihre E-Mail-Adresse sehen',
  'scope.email_detail': 'Und ob sie bestätigt ist.',
  'scope.address': 'Ihre Anschrift sehen',
  'scope.address_detail': 'So, wie sie in Ihrem Konto steht.',
  'scope.phone': 'Ihre Telefonnummer sehen',
  'scope.phone_detail': 'Und ob sie bestätigt ist.',
  'scope.offline_access': 'Verbunden bleiben',
  'scope.offline_access_detail': 'Der Zugriff bleibt, auch wenn Sie nicht da sind, bis Sie ihn zurücknehmen.',
  'scope.tickets_read': 'Tickets lesen',
  'scope.tickets_read_detail': 'Alle Tickets und Antworten, die Sie selbst sehen können.',
  'scope.tickets_write': 'Tickets anlegen und ändern',
  'scope.tickets_write_detail': 'Auch Antworten schreiben, in Ihrem Namen.',
  'scope.tickets_delete': 'Tickets löschen',
  'scope.tickets_delete_detail': 'Tickets, die Sie selbst löschen dürfen.',
  'scope.identity': 'Ihren Namen und Ihre E-Mail-Adresse erfahren',
  'scope.identity_detail': 'Jeder Zugriff auf den Helpdesk schließt sie ein.',
  'scope.other': 'Die Berechtigung „{scope}“ benutzen',
  'scope.other_detail': 'Fragen Sie bei den Urhebern der Anwendung nach, wozu sie dient.',

  'device.title': 'Gerät verbinden',
  'device.explanation': 'Geben Sie den Code ein, den Ihr Gerät oder Programm anzeigt.',
  'device.user_code': 'Code',
  'device.submit': 'Weiter',
  'device_confirm.title': 'Dieses Gerät verbinden?',
  'device_confirm.compare': 'Ihr Gerät muss genau diesen Code anzeigen:',
  'device_confirm.application': 'Anwendung',
  'device_confirm.address': 'Gefragt von',
  'device_confirm.device': 'Gerät',
  'device_confirm.time': 'Gefragt am',
  'device_confirm.warning_title': 'Haben Sie das selbst begonnen?',
  'device_confirm.warning':
    'Wenn Ihnen jemand diesen Code geschickt oder vorgelesen hat, brechen Sie hier ab: Er käme in Ihr Konto.',
  'device_confirm.confirm': 'Der Code stimmt überein, weiter',
  'device_confirm.abort': 'Abbrechen',
  'device_result.connected_title': 'Ihr Gerät ist verbunden',
  'device_result.connected_text': '{application} kann jetzt weitermachen. Sie können diese Seite schließen.',
  'device_result.denied_title': 'Das Gerät wurde nicht verbunden',
  'device_result.denied_text':
    '{application} hat keinen Zugriff auf Ihr Konto bekommen. Sie können diese Seite schließen.',

  'sign_out.title': 'Möchten Sie sich abmelden?',
  'sign_out.explanation': 'Sie sind angemeldet als {email}.',
  'sign_out.asked_by': '{application} möchte Sie von {brand} abmelden.',
  'sign_out.confirm': 'Abmelden',
  'sign_out.stay': 'Angemeldet bleiben',
  'signed_out.title': 'Sie sind abgemeldet',
  'signed_out.explanation':
    'Schließen Sie jetzt alle Fenster des Browsers, wenn auch andere diesen Rechner benutzen.',
  'signed_out.sign_in': 'Wieder anmelden',

  'form_post.title': 'Zurück zu {application}',
  'form_post.explanation': 'Erscheint die Anwendung nicht gleich, gehen Sie hier weiter.',
  'leave.title': 'Weiter zu {application}?',
  'leave.request_refused':
    'Die Anfrage dieser Anwendung funktioniert nicht, deshalb hat sich niemand angemeldet.',
  'leave.failed': 'Bei uns ist etwas schiefgegangen, deshalb hat sich niemand angemeldet.',
  'leave.cancelled': 'Sie haben abgebrochen, deshalb bekommt die Anwendung keinen Zugriff auf Ihr Konto.',
  'leave.signed_out': 'Sie sind nicht angemeldet.',
  'leave.consequence': 'Wenn Sie weitergehen, verlassen Sie {brand} und kommen zu dieser Adresse:',
  'leave.warning':
    'Jeder kann eine Anwendung unter jedem Namen anmelden. Gehen Sie nur weiter, wenn Sie diese Adresse kennen, und geben Sie dort nicht Ihr Passwort für {brand} ein.',
  'leave.go_on': 'Weiter zu {destination}',
  'leave.stay': 'Hier bleiben',

  'account.title': 'Mein Konto',
  'account.profile': 'Profil',
  'account.security': 'Anmeldung',
  'account.access': 'Anwendungen',
  'account.name': 'Name',
  'account.email': 'E-Mail-Adresse',
  'account.email_verified': 'Bestätigt',
  'account.email_unverified': 'Noch nicht bestätigt',
  'account.verify_email': 'Bestätigung noch einmal senden',
  'account.role': 'Rolle',
  'account.since': 'Konto seit',
  'account.password': 'Passwort',
  'account.password_changed': 'Zuletzt geändert am {day:date}',
  'account.change_name': 'Namen ändern',
  'account.change_password': 'Passwort ändern',
  'account.change_email': 'E-Mail-Adresse ändern',
  'account.all_devices': 'Alle Geräte',
  'account.all_devices_detail':
    'Meldet Sie überall ab, hier und in allen Anwendungen, die danach wieder um Erlaubnis bitten.',
  'account.sign_out_everywhere': 'Überall abmelden',
  'account.connected_applications':
    'Sehen Sie, was jede Anwendung mit Ihrem Konto darf, und nehmen Sie es zurück.',
  'account.applications': 'Registrieren Sie eigene Programme, die diesen Dienst nutzen.',

  'role.customer': 'Kundin oder Kunde',
  'role.agent': 'Service-Team',
  'role.admin': 'Administration',

  'connected.title': 'Verbundene Anwendungen',
  'connected.explanation':
    'Diese Anwendungen dürfen Ihr Konto nutzen. Nehmen Sie es zurück, bekommen sie keinen Zugriff mehr; was sie noch haben, endet in Minuten.',
  'connected.none': 'Keine Anwendung darf Ihr Konto nutzen.',
  'connected.since': 'Seit',
  'connected.last_used': 'Zuletzt benutzt',
  'connected.not_on_record': 'Nicht verzeichnet',
  'connected.may': 'Darf',
  'connected.revoke': 'Zugriff zurücknehmen',
  'connected.revoke_for': 'für {application}',
};
