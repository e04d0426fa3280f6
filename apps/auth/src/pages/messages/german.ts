import type { Translation } from '../messages.ts';
import { german as developers } from './german-developers.ts';

/** The catalogue in German, in the formal address. */
export const german: Translation = {
  ...developers,

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

  'problems.title': 'Bitte prüfen Sie Ihre Eingaben',
  'problem.credentials_invalid': 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
  'problem.too_many_attempts': 'Zu viele Versuche. Bitte versuchen Sie es in {wait:duration} noch einmal.',
  'problem.form_expired': 'Diese Seite war zu lange geöffnet. Bitte senden Sie sie noch einmal ab.',
  'problem.changed_meanwhile':
    'Das wurde inzwischen von anderer Stelle geändert. Bitte prüfen Sie es und senden Sie es noch einmal ab.',
  'problem.email_missing': 'Geben Sie Ihre E-Mail-Adresse ein.',
  'problem.email_invalid': 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
  'problem.email_same': 'Das ist schon Ihre E-Mail-Adresse.',
  'problem.name_missing': 'Geben Sie einen Namen ein.',
  'problem.name_too_long': 'Der Name darf höchstens {max} Zeichen lang sein.',
  'problem.password_missing': 'Geben Sie ein Passwort ein.',
  'problem.password_too_short': 'Das Passwort muss mindestens {min} Zeichen lang sein.',
  'problem.password_too_long': 'Das Passwort darf höchstens {max} Zeichen lang sein.',
  'problem.password_common':
    'Dieses Passwort benutzen viele, darum wird es zuerst geraten. Bitte wählen Sie ein anderes.',
  'problem.password_too_simple':
    'Das Passwort wiederholt wenige Zeichen immer wieder. Bitte wählen Sie ein anderes.',
  'problem.password_same': 'Das ist schon Ihr Passwort. Bitte wählen Sie ein anderes.',
  'problem.password_wrong': 'Ihr aktuelles Passwort stimmt nicht.',
  'problem.user_code_missing': 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
  'problem.user_code_unknown': 'Dieser Code stimmt nicht. Bitte vergleichen Sie ihn mit dem auf Ihrem Gerät.',
  'problem.user_code_expired': 'Dieser Code ist abgelaufen. Lassen Sie sich vom Gerät einen neuen anzeigen.',
  'problem.user_code_used':
    'Dieser Code wurde schon benutzt. Lassen Sie sich vom Gerät einen neuen anzeigen.',
  'problem.device_aborted': 'Sie haben das abgebrochen. Das Gerät wurde nicht verbunden.',
  'problem.type_missing': 'Wählen Sie, was Sie bauen.',
  'problem.home_page_invalid': 'Geben Sie die ganze Adresse der Startseite ein, beginnend mit https://.',
  'problem.redirect_uri_missing': 'Geben Sie mindestens eine Redirect-URI ein.',
  'problem.redirect_uri_invalid': '„{uri}“ ist keine absolute URI.',
  'problem.redirect_uri_fragment': '„{uri}“ darf kein Fragment (#…) haben.',
  'problem.redirect_uri_not_https': '„{uri}“ muss mit https:// beginnen.',
  'problem.redirect_uri_scheme':
    '„{uri}“ muss mit https:// beginnen, mit einem eigenen Schema mit Punkt (com.example.app:/…) oder mit http://127.0.0.1/.',
  'problem.redirect_uris_too_many': 'Geben Sie höchstens {max} Redirect-URIs ein.',
  'problem.scopes_missing': 'Wählen Sie mindestens eine Berechtigung.',
  'problem.scope_not_allowed': 'Um „{scope}“ darf diese Anwendung nicht bitten.',
  'problem.quota_reached':
    'Sie haben {limit} Anwendungen registriert, mehr geht nicht. Entfernen Sie zuerst eine.',
  'problem.secrets_full': 'Es gibt schon {max} Geheimnisse. Entfernen Sie zuerst eines.',

  'notice.password_changed': 'Ihr Passwort wurde geändert.',
  'notice.password_reset': 'Ihr Passwort wurde geändert. Melden Sie sich mit dem neuen an.',
  'notice.email_verified': 'Ihre E-Mail-Adresse ist bestätigt. Sie können sich jetzt anmelden.',
  'notice.application_revoked': '{application} kann Ihr Konto nicht mehr nutzen.',
  'notice.application_saved': 'Ihre Änderungen wurden gespeichert.',
  'notice.application_unverified':
    'Ihre Änderungen sind gespeichert. Die Administration muss die Anwendung noch einmal prüfen.',
  'notice.application_removed': '{application} wurde entfernt.',
  'notice.secret_removed': 'Das Geheimnis wurde entfernt. Niemand kann es mehr benutzen.',
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

  'change_password.title': 'Passwort ändern',
  'change_email.title': 'E-Mail-Adresse ändern',
  'change_email.current': 'Ihre Adresse ist {email}.',
  'change_email.new_email': 'Neue E-Mail-Adresse',
  'change_email.explanation':
    'Wir schicken einen Link an die neue Adresse. Solange Sie ihn nicht öffnen, ändert sich nichts.',
  'change_email.submit': 'Link schicken',

  'application.by': 'von {owner}',
  'application.verified': 'Von {brand} geprüft',
  'application.unverified': 'Nicht geprüft',
  'application.warning_title': '{brand} hat diese Anwendung nicht geprüft',
  'application.warning':
    'Jeder kann eine Anwendung unter jedem Namen registrieren. Erlauben Sie den Zugriff nur, wenn Sie wissen, von wem sie stammt und wofür Sie sie brauchen.',

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
  'scope.profile_detail': 'Name, Sprache und Zeitzone.',
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
  'scope.webhooks_manage': 'Benachrichtigungen an andere Systeme verwalten',
  'scope.webhooks_manage_detail': 'Bestimmen, wohin Neuigkeiten zu Tickets geschickt werden (Webhooks).',
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
  'account.change_password': 'Passwort ändern',
  'account.change_email': 'E-Mail-Adresse ändern',
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
  'connected.may': 'Darf',
  'connected.revoke': 'Zugriff zurücknehmen',
  'connected.revoke_for': 'für {application}',

  'error.interaction_expired.title': 'Diese Seite ist abgelaufen',
  'error.interaction_expired.text':
    'Die Anmeldung war schon beendet, hat zu lange gedauert, oder Sie sind mit der Zurück-Taste des Browsers hierhergekommen. Es ist nichts verloren: Gehen Sie zur Anwendung zurück und beginnen Sie noch einmal.',
  'error.other_tab.title': 'Sie haben in einem anderen Tab weitergemacht',
  'error.other_tab.text':
    'Diese Anmeldung wurde in einem anderen Tab oder Fenster begonnen oder beendet. Machen Sie dort weiter, oder gehen Sie zur Anwendung zurück und beginnen Sie noch einmal.',
  'error.redirect_uri_mismatch.title': 'Die Anwendung hat Sie mit einer falschen Adresse hierhergeschickt',
  'error.redirect_uri_mismatch.text':
    'Die Adresse, zu der Sie zurückkehren würden, ist für sie nicht registriert. Zu Ihrem Schutz brechen wir hier ab. Nur die Urheber der Anwendung können das in Ordnung bringen.',
  'error.unknown_client.title': 'Wir kennen diese Anwendung nicht',
  'error.unknown_client.text':
    'Die Anwendung ist hier nicht registriert oder wurde entfernt. Bitte fragen Sie bei ihren Urhebern nach.',
  'error.invalid_request.title': 'Die Anwendung bat um etwas, das nicht geht',
  'error.invalid_request.text':
    'Die Anfrage der Anwendung ist fehlerhaft, darum brechen wir hier ab. Nur die Urheber der Anwendung können das in Ordnung bringen.',
  'error.cookies_blocked.title': 'Ihr Browser behält keine Cookies',
  'error.cookies_blocked.text':
    'Ohne Cookies können wir Sie nicht angemeldet halten. Erlauben Sie sie für diese Seite in den Einstellungen des Browsers und beginnen Sie noch einmal.',
  'error.access_denied.title': 'Das dürfen Sie nicht',
  'error.access_denied.text':
    'Ihr Konto darf diese Seite nicht sehen. Sind Sie mit dem richtigen Konto angemeldet?',
  'error.form_expired.title': 'Bitte senden Sie das noch einmal ab',
  'error.form_expired.text':
    'Diese Seite war zu lange geöffnet, oder sie wurde in einem anderen Fenster geöffnet. Es wurde nichts geändert.',
  'error.invalid_link.title': 'Dieser Link gilt nicht mehr',
  'error.invalid_link.text':
    'Ein Link gilt einmal und nur für begrenzte Zeit. Sie können einen neuen anfordern.',
  'error.not_found.title': 'Hier ist nichts',
  'error.not_found.text': 'Die Adresse ist falsch, oder was hier war, wurde entfernt.',
  'error.too_many_attempts.title': 'Zu viele Versuche',
  'error.too_many_attempts.text': 'Zum Schutz Ihres Kontos warten wir ein wenig bis zum nächsten Versuch.',
  'error.unavailable.title': 'Wir sind bald wieder da',
  'error.unavailable.text':
    'Der Dienst kann gerade nicht antworten. Ihre Daten sind sicher. Bitte versuchen Sie es in einer Weile noch einmal.',
  'error.unexpected.title': 'Bei uns ist etwas schiefgegangen',
  'error.unexpected.text':
    'Das lag nicht an Ihnen. Bitte versuchen Sie es noch einmal; wenn es wieder geschieht, nennen Sie uns die Anfragenummer.',

  'error_page.wait': 'Bitte versuchen Sie es in {wait:duration} noch einmal.',
  'error_page.request': 'Anfragenummer',
  'error_page.developers': 'Einzelheiten für Entwickler',
  'error_page.code': 'Fehler',
  'error_page.description': 'Beschreibung',
  'error_page.retry': 'Noch einmal versuchen',
  'error_page.application': 'Zurück zu {application}',
  'error_page.sign_in': 'Anmelden',
  'error_page.other_account': 'Anderes Konto verwenden',
  'error_page.new_link': 'Neuen Link anfordern',
  'error_page.account': 'Zu meinem Konto',
};
