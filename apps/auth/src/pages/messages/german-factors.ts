/** The part of the catalogue about second factors, in German. */
export const german = {
  'second_factor.title': 'Bestätigen Sie, dass Sie es sind',
  'second_factor.explanation': 'Geben Sie den Code ein, den Ihre Authenticator-App für {email} zeigt.',
  'second_factor.code': 'Code der App',
  'second_factor.code_hint': 'Sechs Ziffern. Alle 30 Sekunden erscheint ein neuer Code.',
  'second_factor.trust': 'Diesem Gerät {days} Tage lang vertrauen',
  'second_factor.trust_detail': 'Nur auf Ihrem eigenen Gerät: Dort wird kein Code verlangt.',
  'second_factor.submit': 'Weiter',
  'second_factor.no_app': 'Kein Zugriff auf die App?',
  'second_factor.recovery_code': 'Wiederherstellungscode',
  'second_factor.recovery_code_hint':
    'Einer der Codes, die Sie beim Einrichten der App gespeichert haben. Jeder gilt einmal.',
  'second_factor.use_recovery_code': 'Wiederherstellungscode benutzen',
  'second_factor.lost_both':
    'Wenn Sie weder die App noch einen Wiederherstellungscode haben, bitten Sie die Betreiber dieses Dienstes, Ihren zweiten Faktor zurückzusetzen.',
  'second_factor.passkey':
    'Ein Passwort genügt hier nicht. Beginnen Sie von vorn und melden Sie sich mit Ihrem Passkey an.',
  'second_factor.start_again': 'Von vorn beginnen',
  'second_factor.other_account': 'Anderes Konto verwenden',

  'set_up_totp.title': 'Authenticator-App einrichten',
  'set_up_totp.purpose_chosen': 'Ab dann melden Sie sich mit Ihrem Passwort und einem Code der App an.',
  'set_up_totp.purpose_replaced': 'Die neue App ersetzt die bisherige, deren Codes dann nicht mehr gelten.',
  'set_up_totp.purpose_required':
    'Ihre Rolle verlangt einen zweiten Schritt bei der Anmeldung. Richten Sie ihn jetzt ein, um fortzufahren.',
  'set_up_totp.purpose_offered':
    'Ihre Rolle verlangt ab dem {until:date} einen zweiten Schritt bei der Anmeldung.',
  'set_up_totp.scan_title': '1. Scannen Sie diesen Code mit der App',
  'set_up_totp.scan':
    'Jede Authenticator-App ist geeignet: die Ihres Passwort-Managers, Google Authenticator, Microsoft Authenticator, 2FAS und andere.',
  'set_up_totp.qr_code':
    'QR-Code für die Authenticator-App. Der Schlüssel darunter sagt dasselbe in Buchstaben.',
  'set_up_totp.secret': 'Oder geben Sie diesen Schlüssel ein',
  'set_up_totp.open_app': 'In einer App auf diesem Gerät öffnen',
  'set_up_totp.confirm_title': '2. Geben Sie den Code ein, den die App zeigt',
  'set_up_totp.submit': 'Einrichten',
  'set_up_totp.later': 'Jetzt nicht',

  'recovery_codes.title': 'Ihre Wiederherstellungscodes',
  'recovery_codes.once_title': 'Speichern Sie diese Codes jetzt',
  'recovery_codes.once':
    'Sie werden nur dieses eine Mal gezeigt. Ohne die App kommen Sie mit jedem einmal in Ihr Konto. Bewahren Sie sie auf, wo Sie Ihre Passwörter aufbewahren, oder drucken Sie diese Seite.',
  'recovery_codes.codes': 'Wiederherstellungscodes',
  'recovery_codes.save': 'Als Datei speichern',
  'recovery_codes.continue': 'Ich habe sie gespeichert',

  'two_step.title': 'Anmeldung in zwei Schritten',
  'two_step.summary': 'Ein Code einer App auf Ihrem Telefon, damit ein gestohlenes Passwort nicht genügt.',
  'two_step.manage': 'Verwalten',
  'two_step.explanation':
    'Bei der Anmeldung in zwei Schritten brauchen Sie Ihr Passwort und einen Code, den nur Ihr Telefon zeigt.',
  'two_step.required': 'Ihre Rolle verlangt sie. Sie können sie deshalb ersetzen, aber nicht entfernen.',
  'two_step.app': 'Authenticator-App',
  'two_step.on': 'Die App ist eingerichtet',
  'two_step.since': 'Seit dem {day:date}',
  'two_step.off': 'Keine App ist eingerichtet',
  'two_step.off_detail': 'Zum Anmelden genügt Ihr Passwort.',
  'two_step.replace': 'App wechseln',
  'two_step.codes_left': 'Unbenutzt: {count}. Jeder ersetzt die App einmal.',
  'two_step.few_codes':
    'Unbenutzte Wiederherstellungscodes: {count}. Erstellen Sie neue, bevor Sie sie brauchen.',
  'two_step.new_codes': 'Neue Codes erzeugen',
  'two_step.remove_title': 'Ausschalten',
  'two_step.remove_detail':
    'Entfernt die App, die Wiederherstellungscodes und die Geräte, denen Sie vertrauen.',
  'two_step.remove': 'Entfernen',
  'two_step.end_trust': 'Nicht mehr vertrauen',
  'notice.sign_in_expired':
    'Die Anmeldung hat zu lange gedauert, oder Sie haben eine andere begonnen. Bitte melden Sie sich noch einmal an.',
  'notice.totp_removed': 'Die Anmeldung in zwei Schritten ist ausgeschaltet.',
  'notice.codes_repeated':
    'Sie hatten dieses Formular schon abgeschickt. Wiederherstellungscodes werden nur einmal gezeigt: Wenn Sie sie nicht gespeichert haben, erzeugen Sie neue.',
  'notice.trust_ended': 'Das Gerät wird wieder nach einem Code gefragt.',

  'problem.code_missing': 'Geben Sie den Code ein, den die App zeigt.',
  'problem.code_wrong':
    'Dieser Code ist nicht richtig oder wurde schon benutzt. Warten Sie auf den nächsten. Wenn auch er nicht geht, prüfen Sie die Uhrzeit Ihres Telefons.',
  'problem.recovery_code_missing': 'Geben Sie einen Ihrer Wiederherstellungscodes ein.',
  'problem.recovery_code_wrong': 'Dieser Wiederherstellungscode ist nicht richtig oder wurde schon benutzt.',
} as const;
