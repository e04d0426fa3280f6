import type { english } from './english-developers.ts';

/** The part of the catalogue that only developers see, in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'applications.title': 'Meine Anwendungen',
  'applications.explanation': 'Programme, die Sie registriert haben. Jedes hat seine eigene Kennung.',
  'applications.register': 'Anwendung registrieren',
  'applications.none_title': 'Noch nichts registriert',
  'applications.none':
    'Registrieren Sie Ihre erste Anwendung: Sie erhalten eine Client-Kennung und fertigen Code zum Einfügen.',
  'applications.quota': '{used} von {limit} registriert',
  'applications.client_id': 'Client-Kennung',
  'applications.created': 'Registriert am',
  'applications.disabled': 'Gesperrt',

  'type.machine': 'Maschine',
  'type.machine_detail':
    'Ein Programm, das ohne angemeldeten Menschen arbeitet: ein Skript, ein nächtlicher Lauf.',
  'type.machine_preset':
    'Bekommt ein Geheimnis und nutzt Client Credentials. Die Administration vergibt die Rolle.',
  'type.web': 'Web-Anwendung',
  'type.web_detail': 'Läuft auf einem Server; Menschen melden sich mit dem Browser an.',
  'type.web_preset':
    'Bekommt ein Geheimnis. Authorization Code mit PKCE; Weiterleitungen mit https, zum Ausprobieren an localhost.',
  'type.spa': 'Single-Page-Anwendung',
  'type.spa_detail': 'Läuft ganz im Browser und kann kein Geheimnis bewahren.',
  'type.spa_preset':
    'Kein Geheimnis. Authorization Code mit PKCE; Weiterleitungen mit https, zum Ausprobieren an localhost.',
  'type.native': 'Native oder mobile Anwendung',
  'type.native_detail': 'Wird auf einem Telefon oder Rechner installiert.',
  'type.native_preset':
    'Kein Geheimnis. Authorization Code mit PKCE; Weiterleitungen an 127.0.0.1, an ein eigenes Schema oder mit https.',

  'application_form.title_register': 'Anwendung registrieren',
  'application_form.title_edit': '{application} bearbeiten',
  'application_form.type': 'Was bauen Sie?',
  'application_form.type_hint': 'Das stellt ein, was dafür sicher ist, und lässt sich später nicht ändern.',
  'application_form.about': 'Über die Anwendung',
  'application_form.about_hint': 'Das sehen Menschen, wenn sie um Erlaubnis gefragt werden.',
  'application_form.home_page': 'Startseite',
  'application_form.policy_uri': 'Datenschutzerklärung',
  'application_form.tos_uri': 'Nutzungsbedingungen',
  'application_form.redirects': 'Weiterleitungen',
  'application_form.redirect_uris': 'Redirect-URIs',
  'application_form.redirect_uris_hint':
    'Wohin Menschen nach der Anmeldung zurückkehren. Eine pro Zeile, genau verglichen.',
  'application_form.post_logout_redirect_uris': 'Redirect-URIs nach der Abmeldung',
  'application_form.post_logout_redirect_uris_hint': 'Eine pro Zeile.',
  'application_form.scopes': 'Berechtigungen',
  'application_form.scopes_hint': 'Worum sie bitten darf. Wählen Sie nicht mehr, als sie braucht.',
  'application_form.advanced': 'Erweitert',
  'application_form.backchannel_logout_uri': 'URI für Back-Channel-Logout',
  'application_form.backchannel_logout_uri_hint':
    'Wir senden ein Logout-Token dorthin, wenn sich eine Person abmeldet.',
  'application_form.initiate_login_uri': 'URI zum Beginn der Anmeldung',
  'application_form.initiate_login_uri_hint':
    'Beginnt eine Anmeldung bei der Anwendung (initiate_login_uri). Eine abgelaufene Anmeldeseite verweist dorthin.',
  'application_form.authorization_signed_response_alg': 'Signatur von Authorization-Antworten (JARM)',
  'application_form.authorization_signed_response_alg_hint':
    'Unterschreibt die Antwort auf eine Anfrage mit response_mode=jwt. Andere Antworten sind nicht unterschrieben.',
  'application_form.jwks': 'Öffentliche Schlüssel (JWKS)',
  'application_form.jwks_hint':
    'Für Maschinen und Webanwendungen, die mit einem Schlüssel unterschreiben (private_key_jwt) und kein Geheimnis brauchen. Fügen Sie ein JSON Web Key Set ohne private Teile ein.',
  'application_form.register': 'Registrieren',

  'application_page.overview': 'Übersicht',
  'application_page.type': 'Art',
  'application_page.home_page': 'Startseite',
  'application_page.role': 'Rolle',
  'application_page.role_none':
    'Noch keine. Die Administration muss ihr eine geben, bevor sie Tickets lesen oder ändern kann.',
  'application_page.unverified': 'Wer um Erlaubnis gefragt wird, erfährt, dass sie nicht geprüft ist.',
  'application_page.disabled': 'Die Administration hat diese Anwendung gesperrt. Sie bekommt keine Tokens.',
  'application_page.edit': 'Bearbeiten',
  'application_page.remove': 'Anwendung entfernen',
  'application_page.secrets': 'Geheimnisse',
  'application_page.secrets_hint':
    'So wechseln Sie ein Geheimnis ohne Ausfall: ein neues hinzufügen, im Programm eintragen, dann das alte entfernen.',
  'application_page.secret': 'Geheimnis mit der Endung {hint}',
  'application_page.secret_created': 'Erzeugt',
  'application_page.secret_last_used': 'Zuletzt benutzt',
  'application_page.secret_expires': 'Läuft ab',
  'application_page.never': 'Nie',
  'application_page.secret_add': 'Geheimnis hinzufügen',
  'application_page.secret_remove': 'Entfernen',
  'application_page.no_secrets':
    'Es gibt kein Geheimnis. Fügen Sie eines hinzu, damit die Anwendung Tokens bekommen kann.',
  'application_page.keys_hint':
    'So wechseln Sie einen Schlüssel ohne Ausfall: den neuen neben dem alten einfügen, im Programm eintragen, dann den alten entfernen.',
  'application_page.key': 'Schlüssel {kid}',
  'application_page.key_unnamed': 'Schlüssel ohne Kennung',
  'application_page.thumbprint': 'Fingerabdruck (RFC 7638, SHA-256)',
  'application_page.addresses': 'Adressen',
  'application_page.addresses_hint':
    'Eine Client-Bibliothek braucht den Aussteller (Issuer); der Rest steht in seinem Discovery-Dokument.',
  'application_page.issuer': 'Issuer',
  'application_page.discovery_url': 'Discovery-URL',
  'application_page.authorization_endpoint': 'Authorization-Endpunkt',
  'application_page.token_endpoint': 'Token-Endpunkt',
  'application_page.userinfo_endpoint': 'Userinfo-Endpunkt',
  'application_page.jwks_uri': 'JSON Web Key Set',
  'application_page.api_base_url': 'Basis-URL der API',
  'application_page.try': 'Ausprobieren',
  'application_page.try_secret': 'Das Geheimnis kommt aus der Umgebungsvariablen CLIENT_SECRET.',
  'application_page.try_key':
    'Der private Schlüssel kommt aus der Umgebungsvariablen PRIVATE_KEY, als PEM (PKCS #8).',
  'application_page.languages': 'Programmiersprache',
  'application_page.language_curl': 'curl',
  'application_page.language_javascript': 'JavaScript',
  'application_page.language_python': 'Python',
  'application_page.language_go': 'Go',
  'application_page.language_java': 'Java',
  'application_page.language_swift': 'Swift',
  'application_page.language_kotlin': 'Kotlin',
  'application_page.snippet_curl': 'curl, in einem Terminal',
  'application_page.snippet_javascript': 'JavaScript, mit openid-client',
  'application_page.snippet_python': 'Python, mit requests-oauthlib',
  'application_page.snippet_go': 'Go, mit x/oauth2',
  'application_page.snippet_java': 'Java, mit dem JDK oder Spring Security',
  'application_page.snippet_swift': 'Swift, mit AppAuth für iOS',
  'application_page.snippet_kotlin': 'Kotlin, mit AppAuth für Android',

  'logo.title': 'Logo',
  'logo.none': 'Noch kein Logo. Zu sehen ist der erste Buchstabe des Namens.',
  'logo.hint': 'Zu sehen, wenn jemand um Erlaubnis für die Anwendung gefragt wird.',
  'logo.file': 'Bilddatei',
  'logo.file_hint':
    'PNG, JPEG oder WebP mit {min} bis {max} Pixeln auf jeder Seite und höchstens {kilobytes} KB. Am besten sieht ein quadratisches Bild aus.',
  'logo.verified_hint': 'Mit einem anderen Logo gilt die Anwendung nicht mehr als geprüft.',
  'logo.upload': 'Logo hochladen',
  'logo.remove': 'Logo entfernen',

  'copy.copy': 'Kopieren',
  'copy.done': 'Kopiert',

  'trust.role_title': 'Rolle beantragen',
  'trust.role_hint':
    'Die Rolle bestimmt, was die Anwendung mit Tickets tun kann. Über jeden Antrag entscheidet der Betreiber.',
  'trust.role_customer': 'Liest und schreibt eigene Tickets.',
  'trust.role_agent': 'Liest und beantwortet die Tickets aller Kunden.',
  'trust.role_admin': 'Kann alles, was die API bietet.',
  'trust.role_reason': 'Wozu sie diese Rolle braucht',
  'trust.role_reason_hint': 'Ein Satz, etwa: „Sie überträgt jede Nacht die Tickets in unsere Auswertung.“',
  'trust.role_submit': 'Rolle beantragen',
  'trust.verification_title': 'Prüfung beantragen',
  'trust.verification_hint':
    'Für eine geprüfte Anwendung bürgt der Betreiber. Das wird angezeigt, und die Zustimmung gilt dann einmal für alle Geräte.',
  'trust.verification_reason': 'Über die Anwendung',
  'trust.verification_reason_hint': 'Ein Satz: was sie tut und wer sie nutzt.',
  'trust.verification_submit': 'Prüfung beantragen',
  'trust.pending': 'Beantragt am {at:date}, noch nicht entschieden',
  'trust.approved': 'Genehmigt am {at:date}',
  'trust.rejected': 'Abgelehnt am {at:date}',
  'trust.withdraw': 'Antrag zurückziehen',

  'secret_shown.title': 'Geheimnis sichern',
  'secret_shown.once_title': 'Wir zeigen es nur einmal',
  'secret_shown.once':
    'Wir bewahren davon nur einen Fingerabdruck und können es nicht erneut zeigen. Legen Sie es dort ab, wo Ihr Programm es liest.',
  'secret_shown.secret': 'Client-Geheimnis',
  'secret_shown.environment': 'Für ein Terminal',
  'secret_shown.old_expires': 'Das alte Geheimnis gilt noch bis zum {at:date}.',
  'secret_shown.continue': 'Ich habe es gesichert',

  'remove_application.title': '{application} entfernen?',
  'remove_application.explanation':
    'Geheimnisse und Tokens gelten sofort nicht mehr, und alle, die sie nutzen, werden getrennt. Das lässt sich nicht rückgängig machen.',
  'remove_application.submit': 'Endgültig entfernen',
};
