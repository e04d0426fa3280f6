import type { english } from './english-problems.ts';

/** What the pages say when something went wrong, in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'problems.title': 'Bitte prüfen Sie Ihre Eingaben',
  'problem.credentials_invalid': 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
  'problem.too_many_attempts': 'Zu viele Versuche. Bitte versuchen Sie es in {wait:duration} erneut.',
  'problem.form_expired': 'Diese Seite war zu lange geöffnet. Bitte senden Sie sie erneut ab.',
  'problem.changed_meanwhile':
    'Das wurde inzwischen von anderer Stelle geändert. Bitte prüfen Sie es und senden Sie es erneut ab.',
  'problem.email_missing': 'Geben Sie Ihre E-Mail-Adresse ein.',
  'problem.email_invalid': 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
  'problem.email_same': 'Das ist schon Ihre E-Mail-Adresse.',
  'problem.name_missing': 'Geben Sie einen Namen ein.',
  'problem.name_invalid':
    'Der Name enthält Zeichen, die niemand lesen kann. Bitte tippen Sie ihn erneut ein.',
  'problem.name_too_long': 'Der Name darf höchstens {max} Zeichen lang sein.',
  'problem.password_missing': 'Geben Sie ein Passwort ein.',
  'problem.password_too_short': 'Das Passwort muss mindestens {min} Zeichen lang sein.',
  'problem.password_too_long': 'Das Passwort darf höchstens {max} Zeichen lang sein.',
  'problem.password_common':
    'Dieses Passwort oder das Wort darin benutzen viele, darum wird es zuerst geraten. Ziffern und Zeichen um ein Wort helfen nicht. Bitte wählen Sie ein anderes.',
  'problem.password_breached':
    'Dieses Passwort wurde bei einem Datenleck eines anderen Dienstes veröffentlicht, darum wird es ausprobiert. Bitte wählen Sie ein anderes.',
  'problem.password_personal':
    'Das Passwort besteht aus Ihrer E-Mail-Adresse oder dem Namen dieses Dienstes, darum wird es zuerst geraten. Bitte wählen Sie ein anderes.',
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
  'problem.policy_uri_invalid':
    'Geben Sie die ganze Adresse der Datenschutzerklärung ein, beginnend mit https://.',
  'problem.tos_uri_invalid':
    'Geben Sie die ganze Adresse der Nutzungsbedingungen ein, beginnend mit https://.',
  'problem.redirect_uri_missing': 'Geben Sie mindestens eine Redirect-URI ein.',
  'problem.redirect_uri_invalid': '„{uri}“ ist keine absolute URI.',
  'problem.redirect_uri_wildcard':
    '„{uri}“ darf kein * im Hostnamen haben. Adressen werden genau verglichen: Geben Sie jede einzeln ein.',
  'problem.redirect_uri_fragment': '„{uri}“ darf kein Fragment (#…) haben.',
  'problem.redirect_uri_not_https':
    '„{uri}“ muss mit https:// beginnen, zum Ausprobieren auch mit http://localhost.',
  'problem.redirect_uri_scheme':
    '„{uri}“ muss mit https:// beginnen, mit einem eigenen Schema mit Punkt (com.example.app:/…) oder mit http://127.0.0.1/.',
  'problem.jwks_invalid':
    '„{place}“ ist nicht gültig. Fügen Sie ein JSON Web Key Set öffentlicher Signaturschlüssel ein: EC (P-256, P-384), Ed25519 oder RSA ab 2048 Bit.',
  'problem.jwks_unsuitable':
    'Nur Maschinen und Webanwendungen unterschreiben mit einem Schlüssel. Lassen Sie die öffentlichen Schlüssel leer.',
  'problem.jwks_not_fapi':
    'Mit FAPI 2.0 unterschreibt jeder Schlüssel mit ES256, PS256 oder EdDSA. Fügen Sie Schlüssel dafür ein: P-256, Ed25519 oder RSA.',
  'problem.redirect_uri_not_fapi':
    'Mit FAPI 2.0 beginnt jede Redirect-URI mit https://. Ersetzen Sie die anderen.',
  'problem.algorithm_unknown': 'Wählen Sie einen Algorithmus aus der Liste.',
  'problem.unsuitable': 'Das passt nicht zur Art der Anwendung. Lassen Sie es leer.',
  'problem.redirect_uris_too_many': 'Geben Sie höchstens {max} Redirect-URIs ein.',
  'problem.scopes_missing': 'Wählen Sie mindestens eine Berechtigung.',
  'problem.scope_not_allowed': 'Um „{scope}“ darf diese Anwendung nicht bitten.',
  'problem.quota_reached':
    'Sie haben {limit} Anwendungen registriert, mehr geht nicht. Entfernen Sie zuerst eine.',
  'problem.logo_missing': 'Wählen Sie eine Datei mit dem Logo.',
  'problem.logo_too_large': 'Die Datei ist zu groß. Wählen Sie eine mit höchstens {kilobytes} KB.',
  'problem.logo_unsupported':
    'Das ist kein Bild in PNG, JPEG oder WebP. Wählen Sie eines davon; SVG kann Programme enthalten und wird nicht angenommen.',
  'problem.logo_damaged':
    'Das Bild ist unvollständig oder beschädigt. Exportieren Sie es noch einmal und wählen Sie dann die neue Datei.',
  'problem.logo_animated': 'Das Bild ist animiert. Wählen Sie eines, das stillsteht.',
  'problem.logo_dimensions':
    'Das Bild ist zu klein oder zu groß. Wählen Sie eines mit {min} bis {max} Pixeln auf jeder Seite.',
  'problem.upload_invalid':
    'Die Datei kam nicht so an, wie diese Seite sie sendet. Wählen Sie sie bitte noch einmal aus und senden Sie sie erneut.',
  'problem.role_missing': 'Wählen Sie eine Rolle.',
  'problem.role_same': 'Die Anwendung hat diese Rolle bereits.',
  'problem.reason_missing': 'Geben Sie eine Begründung ein.',
  'problem.reason_invalid':
    'Die Begründung hat Zeichen, die niemand lesen kann. Bitte geben Sie sie noch einmal ein.',
  'problem.reason_too_long': 'Die Begründung darf höchstens {max} Zeichen haben.',
  'problem.invited_email_missing': 'Geben Sie die E-Mail-Adresse der Person ein, die Sie einladen.',
  'problem.already_invited':
    'Diese Adresse ist schon eingeladen. Um einen neuen Link zu schicken, ziehen Sie zuerst jene Einladung zurück.',
  'problem.already_owner': 'Diese Adresse gehört zu einem Eigentümer der Anwendung.',
  'problem.co_owners_full':
    'Es gibt {max} Miteigentümer oder Einladungen, mehr sind nicht möglich. Entfernen Sie zuerst einen.',
  'problem.new_owner_full':
    'Dieser Miteigentümer kann jetzt nicht Eigentümer werden: Ihm gehören so viele Anwendungen wie möglich, oder sein Konto wurde gesperrt.',
  'problem.secrets_full': 'Es gibt schon {max} Geheimnisse. Entfernen Sie zuerst eines.',

  'error.interaction_expired.title': 'Diese Seite ist abgelaufen',
  'error.interaction_expired.text':
    'Die Anmeldung war schon beendet, hat zu lange gedauert, oder Sie sind mit der Zurück-Taste des Browsers hierhergekommen. Es ist nichts verloren: Gehen Sie zur Anwendung zurück und beginnen Sie erneut.',
  'error.other_tab.title': 'Sie haben in einem anderen Tab weitergemacht',
  'error.other_tab.text':
    'Diese Anmeldung wurde in einem anderen Tab oder Fenster begonnen oder beendet. Machen Sie dort weiter, oder gehen Sie zur Anwendung zurück und beginnen Sie erneut.',
  'error.redirect_uri_mismatch.title': 'Die Anwendung hat Sie mit einer falschen Adresse hierhergeschickt',
  'error.redirect_uri_mismatch.text':
    'Die Adresse, zu der Sie zurückkehren würden, ist für sie nicht registriert. Zu Ihrem Schutz brechen wir hier ab. Bitte zeigen Sie diese Seite den Urhebern der Anwendung: Nur sie können das in Ordnung bringen.',
  'error.unknown_client.title': 'Wir kennen diese Anwendung nicht',
  'error.unknown_client.text':
    'Sie ist hier nicht registriert oder wurde entfernt oder gesperrt. Wenn Sie einem alten Link gefolgt sind, öffnen Sie die Anwendung erneut. Wenn Sie wieder hierher gelangen, zeigen Sie diese Seite bitte ihren Urhebern.',
  'error.invalid_request.title': 'Die Anwendung bat um etwas, das nicht geht',
  'error.invalid_request.text':
    'Die Anfrage der Anwendung ist fehlerhaft, darum brechen wir hier ab. Bitte zeigen Sie diese Seite den Urhebern der Anwendung: Nur sie können das in Ordnung bringen.',
  'error.cookies_blocked.title': 'Ihr Browser behält keine Cookies',
  'error.cookies_blocked.text':
    'Ohne Cookies können wir Sie nicht angemeldet halten. Erlauben Sie sie für diese Seite in den Einstellungen des Browsers und beginnen Sie erneut.',
  'error.access_denied.title': 'Das dürfen Sie nicht',
  'error.access_denied.text':
    'Ihr Konto darf diese Seite nicht sehen. Sind Sie mit dem richtigen Konto angemeldet?',
  'error.sign_in_too_weak.title': 'Ihre Anmeldung ist nicht sicher genug',
  'error.sign_in_too_weak.text':
    'Dafür brauchen Sie einen Passkey. Fügen Sie Ihrem Konto einen hinzu, beginnen Sie dann erneut und melden Sie sich damit an.',
  'error.form_expired.title': 'Bitte senden Sie das erneut ab',
  'error.form_expired.text':
    'Diese Seite war zu lange geöffnet, oder sie wurde in einem anderen Fenster geöffnet. Es wurde nichts geändert.',
  'error.address_in_use.title': 'Ein anderes Konto hat diese Adresse',
  'error.address_in_use.text':
    'Eine Adresse gehört zu einem Konto. Wenn das andere Konto Ihnen gehört, melden Sie sich dort an und ändern Sie seine Adresse, oder fragen Sie den Betreiber. Öffnen Sie dann den Link in der Nachricht noch einmal: Er gilt weiter.',
  'error.invalid_link.title': 'Dieser Link gilt nicht mehr',
  'error.invalid_link.text':
    'Ein Link gilt einmal und nur für begrenzte Zeit. Sie können einen neuen anfordern.',
  'error.not_found.title': 'Hier ist nichts',
  'error.not_found.text': 'Die Adresse ist falsch, oder was hier war, wurde entfernt.',
  'error.too_large.title': 'Das war zu viel auf einmal',
  'error.too_large.text':
    'Ihre Eingabe ist länger, als wir sie annehmen können. Es wurde nichts geändert: Gehen Sie zurück, kürzen Sie sie und senden Sie sie erneut ab.',
  'error.too_many_attempts.title': 'Zu viele Versuche',
  'error.too_many_attempts.text': 'Zum Schutz Ihres Kontos warten wir ein wenig bis zum nächsten Versuch.',
  'error.unavailable.title': 'Wir sind bald wieder da',
  'error.unavailable.text':
    'Der Dienst kann gerade nicht antworten. Ihre Daten sind sicher. Bitte versuchen Sie es in einer Weile erneut.',
  'error.unexpected.title': 'Bei uns ist etwas schiefgegangen',
  'error.unexpected.text':
    'Das lag nicht an Ihnen. Bitte versuchen Sie es erneut; wenn es wieder geschieht, nennen Sie uns die Anfragenummer.',

  'error_page.wait': 'Bitte versuchen Sie es in {wait:duration} erneut.',
  'error_page.request': 'Anfragenummer',
  'error_page.developers': 'Einzelheiten für Entwickler',
  'error_page.code': 'Fehler',
  'error_page.description': 'Beschreibung',
  'error_page.redirect_uri': 'Redirect-URI der Anfrage',
  'error_page.retry': 'Noch einmal versuchen',
  'error_page.application': 'Zurück zu {application}',
  'error_page.sign_in': 'Anmelden',
  'error_page.sign_out': 'Hier abmelden',
  'error_page.other_account': 'Anderes Konto verwenden',
  'error_page.new_link': 'Neuen Link anfordern',
  'error_page.account': 'Zu meinem Konto',
};
