import type { english } from './english-developers.ts';

/** The part of the catalogue that only developers see, in German. */
export const german: { readonly [Key in keyof typeof english]: string } = {
  'applications.title': 'Meine Anwendungen',
  'applications.explanation':
    'Programme, die Sie registriert haben oder mitbetreuen. Jedes hat seine eigene Kennung.',
  'applications.register': 'Anwendung registrieren',
  'applications.none_title': 'Noch nichts registriert',
  'applications.none':
    'Registrieren Sie Ihre erste Anwendung: Sie erhalten eine Client-Kennung und fertigen Code zum Einfügen.',
  'applications.quota': '{used} von {limit} registriert',
  'applications.client_id': 'Client-Kennung',
  'applications.created': 'Registriert am',
  'applications.co_owner': 'Miteigentümer',
  'applications.disabled': 'Gesperrt',

  'type.machine': 'Maschine',
  'type.machine_detail':
    'Ein Programm, das ohne angemeldeten Menschen arbeitet: ein Skript, ein nächtlicher Lauf.',
  'type.machine_preset':
    'Bekommt ein Geheimnis und nutzt Client Credentials. Sie beantragen ihre Rolle, der Betreiber vergibt sie.',
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
    'Noch keine. Beantragen Sie unten eine: Ohne Rolle kann sie Tickets weder lesen noch ändern.',
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

  'owners.title': 'Eigentümer',
  'owners.hint_owner':
    'Miteigentümer dürfen alles mit der Anwendung, außer sie zu entfernen, Miteigentümer zu entfernen oder sie zu übergeben.',
  'owners.hint_co_owner':
    'Sie dürfen alles mit der Anwendung, außer sie zu entfernen, Miteigentümer zu entfernen oder sie zu übergeben: Das darf nur der Eigentümer.',
  'owners.you': '(Sie)',
  'owners.owner': 'Eigentümer. Diesen Namen sieht, wer die Anwendung zulassen soll.',
  'owners.co_owner_since': 'Miteigentümer seit {day:date}',
  'owners.hand_over': 'Zum Eigentümer machen',
  'owners.remove': 'Entfernen',
  'owners.leave': 'Verlassen',
  'owners.invitation_pending': 'Eingeladen, der Link gilt bis {day:date}',
  'owners.invitation_expired': 'Eingeladen, der Link ist am {day:date} abgelaufen',
  'owners.withdraw': 'Einladung zurückziehen',
  'owners.discard': 'Verwerfen',
  'owners.full': 'Es gibt {max} Miteigentümer oder Einladungen, mehr sind nicht möglich.',
  'owners.invited_email': 'E-Mail-Adresse',
  'owners.invited_email_hint':
    'Wir schicken einen Link dorthin. Annehmen kann nur ein Konto mit dieser Adresse.',
  'owners.invite': 'Miteigentümer einladen',

  'change_owners.hand_over_title': '{person} zum Eigentümer von {application} machen?',
  'change_owners.hand_over':
    '{person} kann danach die Anwendung und ihre Miteigentümer entfernen, auch Sie. Sie bleiben Miteigentümer. Rückgängig machen kann das nur der neue Eigentümer.',
  'change_owners.hand_over_submit': 'Zum Eigentümer machen',
  'change_owners.verification_ends':
    'Die Anwendung wurde mit Ihrem Namen geprüft. Mit einem anderen Eigentümer muss die Administration sie neu prüfen.',
  'change_owners.remove_co_owner_title': '{person} aus {application} entfernen?',
  'change_owners.remove_co_owner':
    '{person} kann die Anwendung nicht mehr sehen oder ändern, und offene Einladungen von dort werden zurückgezogen. Bekannte Geheimnisse gelten weiter: Ersetzen Sie sie.',
  'change_owners.remove_co_owner_submit': 'Miteigentümer entfernen',
  'change_owners.leave_title': '{application} verlassen?',
  'change_owners.leave':
    'Sie können {application} nicht mehr sehen oder ändern, und Ihre offenen Einladungen werden zurückgezogen. Um zurückzukommen, brauchen Sie eine neue Einladung.',
  'change_owners.leave_submit': 'Anwendung verlassen',

  'invitation.title': '{application} gemeinsam betreuen?',
  'invitation.from': '{email} lädt Sie ein, Miteigentümer zu werden.',
  'invitation.from_named': '{name} ({email}) lädt Sie ein, Miteigentümer zu werden.',
  'invitation.may':
    'Sie können die Anwendung und ihre Geheimnisse ändern, Anträge an die Administration stellen und andere einladen.',
  'invitation.may_not':
    'Entfernen oder übergeben kann sie nur ihr Eigentümer. Sie zählt nicht zu denen, die Sie registrieren dürfen.',
  'invitation.seen': 'Die anderen Eigentümer sehen Ihren Namen und Ihre E-Mail-Adresse.',
  'invitation.accept': 'Annehmen',
  'invitation.decline': 'Ablehnen',
  'invitation.expires': 'Die Einladung gilt bis {day:date}.',
  'invitation.accepted_title': 'Diese Einladung wurde angenommen',
  'invitation.accepted':
    'Sie finden die Anwendung unter „Meine Anwendungen“, sofern Sie sie nicht verlassen haben.',
  'invitation.declined_title': 'Diese Einladung wurde abgelehnt',
  'invitation.declined': 'War das ein Versehen, bitten Sie den Eigentümer der Anwendung um eine neue.',
  'invitation.withdrawn_title': 'Diese Einladung wurde zurückgezogen',
  'invitation.withdrawn':
    'Sie gibt keinen Zugang mehr. Wenn Sie sie erwartet haben, fragen Sie den Eigentümer der Anwendung.',
  'invitation.expired_title': 'Diese Einladung ist abgelaufen',
  'invitation.expired': 'Bitten Sie den Eigentümer der Anwendung um eine neue.',
  'invitation.other_account_title': 'Diese Einladung gilt für eine andere Adresse',
  'invitation.other_account':
    'Sie sind als {email} angemeldet. Melden Sie sich ab, öffnen Sie den Link erneut und melden Sie sich mit der Adresse an, an die die Einladung ging.',
  'invitation.unknown_title': 'Diese Einladung gibt es nicht',
  'invitation.unknown':
    'Der Link ist unvollständig, oder die Anwendung oder die Einladung gibt es nicht mehr. Bitten Sie den Eigentümer der Anwendung um eine neue.',

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
