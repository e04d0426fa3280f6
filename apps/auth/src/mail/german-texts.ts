import { applicationMessages } from './german-application-texts.ts';
import type { Catalogue } from './message-texts.ts';

/** German texts of all mails. */
export const german: Catalogue = {
  greeting: 'Guten Tag,',
  closing: 'Diese Nachricht wurde von {service} automatisch verschickt. Antworten darauf liest niemand.',
  duration: {
    days: '{count} Tage',
    hours: ['1 Stunde', '{count} Stunden'],
    minutes: ['1 Minute', '{count} Minuten'],
  },
  device: {
    full: '{browser} auf {system}',
    browserOnly: '{browser}',
    systemOnly: 'ein unbekannter Browser auf {system}',
    unknown: 'ein unbekanntes Gerät',
  },
  messages: {
    verify_email: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {service}',
      before: [
        'mit der Adresse {email} wurde ein Konto bei {service} eröffnet. Bitte bestätigen Sie, dass die Adresse Ihnen gehört:',
      ],
      action: 'Adresse bestätigen',
      after: [
        'Der Link gilt {duration}. Sie werden nach dem Passwort gefragt, das Sie gewählt haben.',
        'Wenn Sie kein Konto eröffnet haben, übergehen Sie diese Nachricht: Ohne Ihre Bestätigung kann das Konto nicht in Ihrem Namen handeln.',
      ],
    },
    create_passkey: {
      subject: 'Legen Sie Ihren Passkey für {service} an',
      before: [
        'bei {service} wurde ein Konto mit der Adresse {email} eröffnet. Bitte bestätigen Sie, dass es Ihre Adresse ist, indem Sie einen Passkey anlegen, und zwar auf dem Gerät, mit dem Sie sich anmelden möchten:',
      ],
      action: 'Passkey anlegen',
      after: [
        'Der Link gilt einmal und {duration} lang.',
        'Wenn Sie kein Konto eröffnet haben, übergehen Sie diese Nachricht: Ohne Ihren Passkey kann das Konto nicht benutzt werden.',
      ],
    },
    address_in_use: {
      subject: 'Sie haben bereits ein Konto bei {service}',
      before: [
        'jemand wollte die Adresse {email} für ein Konto bei {service} verwenden, aber mit dieser Adresse haben Sie bereits ein Konto.',
        'Wenn Sie das waren, melden Sie sich einfach an. Falls Sie das Passwort vergessen haben, können Sie dort ein neues wählen:',
      ],
      action: 'Zu {service}',
      after: [
        'Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Niemand hat Zugang erhalten, und nichts wurde geändert.',
      ],
    },
    reset_password: {
      subject: 'Wählen Sie ein neues Passwort für {service}',
      before: [
        'jemand, hoffentlich Sie, hat ein neues Passwort für Ihr Konto {email} bei {service} angefordert:',
      ],
      action: 'Neues Passwort wählen',
      after: [
        'Der Link gilt einmal und {duration} lang.',
        'Wenn Sie das nicht angefordert haben, übergehen Sie diese Nachricht: Ihr Passwort bleibt, wie es ist.',
      ],
    },
    password_changed: {
      subject: 'Ihr Passwort für {service} wurde geändert',
      before: [
        'das Passwort Ihres Kontos {email} bei {service} wurde soeben geändert, und alle Geräte und Anwendungen wurden abgemeldet.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:',
      ],
      action: 'Neues Passwort wählen',
      after: [
        'Passkeys des Kontos öffnen es weiterhin. Wenn jemand anderes Zugriff hatte, entfernen Sie die, die Sie nicht kennen.',
      ],
    },
    password_removed: {
      subject: 'Ihr Passwort für {service} wurde entfernt',
      before: [
        'das Passwort Ihres Kontos {email} bei {service} wurde soeben entfernt, und alle Geräte und Anwendungen wurden abgemeldet. Sie melden sich von nun an mit einem Passkey oder einem Konto bei einem anderen Anbieter an.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:',
      ],
      action: 'Neues Passwort wählen',
      after: [],
    },
    second_factor_added: {
      subject: 'Anmeldung in zwei Schritten ist für Ihr Konto bei {service} eingeschaltet',
      before: [
        'für Ihr Konto {email} bei {service} wurde eine Authenticator-App eingerichtet. Ab jetzt ist zum Anmelden auch ein Code dieser App nötig.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Bewahren Sie die Wiederherstellungscodes sicher auf: Mit ihnen kommen Sie in Ihr Konto, falls Sie die App verlieren. Wenn Sie es nicht waren, wählen Sie sofort ein neues Passwort und bitten Sie dann die Betreiber von {service}, Ihren zweiten Faktor zurückzusetzen:',
      ],
      action: 'Neues Passwort wählen',
      after: [],
    },
    second_factor_removed: {
      subject: 'Anmeldung in zwei Schritten ist für Ihr Konto bei {service} ausgeschaltet',
      before: [
        'die Authenticator-App Ihres Kontos {email} bei {service} wurde mit ihren Wiederherstellungscodes entfernt. Zum Anmelden genügt jetzt das Passwort.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:',
      ],
      action: 'Neues Passwort wählen',
      after: [],
    },
    second_factor_reset: {
      subject: 'Ihr zweiter Faktor bei {service} wurde zurückgesetzt',
      before: [
        'die Betreiber von {service} haben die Authenticator-App, die Wiederherstellungscodes und die Passkeys Ihres Kontos {email} entfernt und Sie überall abgemeldet.',
        'Melden Sie sich an, um einen neuen einzurichten. Wenn Ihr Konto kein Passwort hat, wählen Sie dort eines mit „Passwort vergessen?“:',
      ],
      action: 'Anmelden',
      after: ['Wenn Sie nicht darum gebeten haben, sagen Sie es sofort den Betreibern von {service}.'],
    },
    recovery_code_used: {
      subject: 'Ein Wiederherstellungscode Ihres Kontos bei {service} wurde benutzt',
      before: [
        'zum Anmelden an Ihrem Konto {email} bei {service} wurde statt eines Codes Ihrer Authenticator-App ein Wiederherstellungscode benutzt.',
        'Unbenutzte Wiederherstellungscodes, die noch übrig sind: {count}. Auf der Seite Ihres Kontos können Sie neue erzeugen:',
      ],
      action: 'Zu meinem Konto',
      after: [
        'Wenn Sie es nicht waren, wählen Sie sofort ein neues Passwort und erzeugen Sie neue Wiederherstellungscodes.',
      ],
    },
    recovery_codes_replaced: {
      subject: 'Neue Wiederherstellungscodes für Ihr Konto bei {service}',
      before: [
        'für Ihr Konto {email} bei {service} wurden neue Wiederherstellungscodes erzeugt. Die alten gelten nicht mehr.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:',
      ],
      action: 'Zu meinem Konto',
      after: [],
    },
    identity_linked: {
      subject: 'Ein Konto bei {provider} wurde bei {service} verknüpft',
      before: [
        'Ihr Konto {email} bei {service} kann jetzt mit einem Konto bei {provider} benutzt werden.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, wählen Sie ein neues Passwort und lösen Sie auf der Seite Ihres Kontos die Verknüpfung mit {provider}:',
      ],
      action: 'Neues Passwort wählen',
      after: [],
    },
    identity_unlinked: {
      subject: 'Die Verknüpfung mit {provider} bei {service} wurde gelöst',
      before: [
        'Ihr Konto {email} bei {service} kann nicht mehr mit Ihrem Konto bei {provider} benutzt werden.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort:',
      ],
      action: 'Neues Passwort wählen',
      after: [],
    },
    change_email: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {service}',
      before: [
        'Sie möchten {email} als neue Adresse Ihres Kontos bei {service} verwenden. Bitte bestätigen Sie sie:',
      ],
      action: 'Neue Adresse bestätigen',
      after: [
        'Der Link gilt einmal und {duration} lang. Sie müssen in Ihrem Konto angemeldet sein.',
        'Wenn Sie kein Konto bei {service} haben, übergehen Sie diese Nachricht: Vermutlich hat sich jemand bei einer Adresse vertippt.',
      ],
    },
    email_change_requested: {
      subject: 'Für Ihr Konto bei {service} wurde eine neue E-Mail-Adresse angefordert',
      before: [
        'jemand, der in Ihrem Konto bei {service} angemeldet ist, möchte dessen Adresse von {email} auf {newEmail} ändern. Die Änderung gilt, sobald sie von der neuen Adresse aus bestätigt wird.',
        'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort:',
      ],
      action: 'Neues Passwort wählen',
      after: [],
    },
    email_changed: {
      subject: 'Ihre E-Mail-Adresse bei {service} wurde geändert',
      before: [
        'die Adresse Ihres Kontos bei {service} wurde von {email} auf {newEmail} geändert. Diese Adresse öffnet das Konto nicht mehr.',
        'Wenn Sie das nicht waren, wenden Sie sich sofort an den Betreiber von {service}:',
      ],
      action: 'Zu {service}',
      after: [],
    },
    email_change_undoable: {
      subject: 'Ihre E-Mail-Adresse bei {service} wurde geändert',
      before: [
        'die Adresse Ihres Kontos bei {service} wurde von {email} auf {newEmail} geändert. Diese Adresse öffnet das Konto nicht mehr.',
        'Wenn Sie das waren, ist nichts zu tun. Wenn nicht, nehmen Sie die Änderung zurück:',
      ],
      action: 'Das war ich nicht',
      after: [
        'Der Link gilt einmal und {duration} lang. Er öffnet eine Seite, auf der Sie bestätigen. Dann hat das Konto wieder diese Adresse, alle sind abgemeldet, und Sie wählen ein neues Passwort.',
      ],
    },
    email_change_undone: {
      subject: 'Die Adresse eines Kontos bei {service} wurde zurückgeändert',
      before: [
        'ein Konto bei {service} hatte die Adresse {email}. Jemand, der die Nachrichten an seine frühere Adresse liest, hat diese Änderung zurückgenommen; {email} öffnet das Konto nicht mehr.',
        'Wenn das Konto Ihnen gehört, wenden Sie sich an den Betreiber von {service}:',
      ],
      action: 'Zu {service}',
      after: [],
    },
    email_restored: {
      subject: 'Ihr Konto bei {service} hat wieder seine frühere Adresse',
      before: [
        'Ihr Konto bei {service} hat wieder die Adresse {email}. Alle Geräte und Anwendungen wurden abgemeldet, und das alte Passwort gilt nicht mehr. Wählen Sie ein neues:',
      ],
      action: 'Neues Passwort wählen',
      after: [
        'Der Link gilt einmal und {duration} lang. Sehen Sie danach Ihre Passkeys, verknüpften Konten und Anwendungen durch.',
      ],
    },
    passkey_added: {
      subject: 'Ihr Konto bei {service} hat einen neuen Passkey',
      before: [
        'zu Ihrem Konto {email} bei {service} wurde soeben ein Passkey hinzugefügt. Er öffnet das Konto ohne Passwort.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, entfernen Sie ihn, melden Sie sich überall ab und wählen Sie sofort ein anderes Passwort:',
      ],
      action: 'Konto prüfen',
      after: [],
    },
    passkey_removed: {
      subject: 'Ein Passkey Ihres Kontos bei {service} wurde entfernt',
      before: [
        'aus Ihrem Konto {email} bei {service} wurde soeben ein Passkey entfernt. Er öffnet das Konto nicht mehr.',
        'Wenn Sie das waren, ist nichts weiter zu tun. Wenn nicht, melden Sie sich überall ab und wählen Sie sofort ein anderes Passwort:',
      ],
      action: 'Konto prüfen',
      after: [],
    },
    deletion_requested: {
      subject: 'Ihr Konto bei {service} wird am {day} gelöscht',
      before: [
        'Ihr Konto {email} bei {service} wird am {day} gelöscht, wie Sie es gewünscht haben. Alle Geräte und Anwendungen wurden abgemeldet.',
        'Wenn Sie es sich anders überlegen, melden Sie sich vor diesem Tag an und behalten Sie das Konto. Wenn der Wunsch nicht von Ihnen kam, tun Sie das sofort und wählen Sie ein neues Passwort:',
      ],
      action: 'Anmelden und das Konto behalten',
      after: [],
    },
    deletion_cancelled: {
      subject: 'Ihr Konto bei {service} bleibt bestehen',
      before: [
        'Ihr Konto {email} bei {service} wird nicht gelöscht.',
        'Wenn nicht Sie es behalten haben, wählen Sie sofort ein neues Passwort und löschen Sie das Konto noch einmal:',
      ],
      action: 'Konto prüfen',
      after: [],
    },
    new_device: {
      subject: 'Neue Anmeldung in Ihrem Konto bei {service}',
      before: [
        'in Ihrem Konto {email} bei {service} gab es eine Anmeldung auf einem neuen Gerät: {device}, Netzwerkadresse {address}, {at}.',
        'Wenn Sie das waren, ist nichts zu tun. Wenn nicht, melden Sie dieses Gerät ab und wählen Sie ein anderes Passwort:',
      ],
      action: 'Das war ich nicht',
      after: ['Der Link gilt einmal und {duration} lang. Er öffnet eine Seite, auf der Sie das bestätigen.'],
    },
    ...applicationMessages,
  },
};
