/** What every mail says, in every language. `{service}`, `{email}` and the like are filled in by `composeMail`. */

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

export const messageKinds = [
  'verify_email',
  'address_in_use',
  'reset_password',
  'password_changed',
  'change_email',
  'email_change_requested',
  'email_changed',
  'role_requested',
  'role_approved',
  'role_rejected',
  'verification_requested',
  'verification_approved',
  'verification_rejected',
] as const;
export type MessageKind = (typeof messageKinds)[number];

export interface MessageText {
  subject: string;
  /** Paragraphs before the link. */
  before: readonly string[];
  /** Purpose of the link; a mail has one link at most. */
  action?: string | undefined;
  /** Paragraphs behind the link. */
  after: readonly string[];
}

interface Catalogue {
  greeting: string;
  closing: string;
  /** How long a link works, by the largest unit that is a whole number. */
  duration: { hours: readonly [one: string, other: string]; minutes: readonly [one: string, other: string] };
  messages: Readonly<Record<MessageKind, MessageText>>;
}

const en: Catalogue = {
  greeting: 'Hello,',
  closing: 'This mail was sent by {service} on its own. Nobody reads answers to it.',
  duration: { hours: ['1 hour', '{count} hours'], minutes: ['1 minute', '{count} minutes'] },
  messages: {
    verify_email: {
      subject: 'Confirm your e-mail address for {service}',
      before: [
        'an account at {service} was opened with the address {email}. Please confirm that the address is yours:',
      ],
      action: 'Confirm the address',
      after: [
        'The link works for {duration}. You will be asked for the password that you chose.',
        'If you did not open an account, ignore this mail: without your confirmation the account cannot act in your name.',
      ],
    },
    address_in_use: {
      subject: 'You already have an account at {service}',
      before: [
        'somebody wanted to use the address {email} for an account at {service}, but you have an account with this address already.',
        'If that was you, just sign in. If you forgot the password, you can choose a new one there:',
      ],
      action: 'Go to {service}',
      after: ['If it was not you, there is nothing to do: nobody was given access and nothing was changed.'],
    },
    reset_password: {
      subject: 'Choose a new password for {service}',
      before: ['somebody, hopefully you, asked for a new password for your account {email} at {service}:'],
      action: 'Choose a new password',
      after: [
        'The link works once, for {duration}.',
        'If you did not ask for it, ignore this mail: your password stays as it is.',
      ],
    },
    password_changed: {
      subject: 'Your password for {service} was changed',
      before: [
        'the password of your account {email} at {service} has just been changed, and all devices and applications were signed out.',
        'If you did this, there is nothing more to do. If you did not, choose a new password at once:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    change_email: {
      subject: 'Confirm your new e-mail address for {service}',
      before: [
        'you asked to use {email} as the new address of your account at {service}. Please confirm it:',
      ],
      action: 'Confirm the new address',
      after: [
        'The link works once, for {duration}. You have to be signed in to your account.',
        'If you have no account at {service}, ignore this mail: somebody probably mistyped an address.',
      ],
    },
    email_change_requested: {
      subject: 'A new e-mail address for your account at {service} was requested',
      before: [
        'somebody who is signed in to your account at {service} asked to change its address from {email} to {newEmail}. The change takes effect when it is confirmed from the new address.',
        'If that was not you, change your password at once:',
      ],
      action: 'Choose a new password',
      after: [],
    },
    email_changed: {
      subject: 'Your e-mail address at {service} was changed',
      before: [
        'the address of your account at {service} was changed from {email} to {newEmail}. This address does not open the account any more.',
        'If that was not you, turn to the operator of {service} at once:',
      ],
      action: 'Go to {service}',
      after: [],
    },
    role_requested: {
      subject: 'A developer requests a role at {service}',
      before: [
        'a developer requests the role {role} for the application {clientId} at {service}.',
        'To read the reason, run: keydesk application list --pending',
        'To decide, run: keydesk application approve {requestId}',
        'or: keydesk application reject {requestId} --reason "…"',
      ],
      after: [],
    },
    role_approved: {
      subject: 'Your application at {service} has a role',
      before: [
        'your application {application} at {service} now has the role {role}, from its next token on.',
      ],
      action: 'Open the application',
      after: [],
    },
    role_rejected: {
      subject: 'Your request for a role at {service} was rejected',
      before: [
        'your application {application} at {service} does not get the role {role}. The reason: {reason}',
      ],
      action: 'Open the application',
      after: ['You can request a role again on the page of the application.'],
    },
    verification_requested: {
      subject: 'A developer requests verification at {service}',
      before: [
        'a developer requests verification of the application {clientId} at {service}.',
        'To read the reason, run: keydesk application list --pending',
        'To decide, run: keydesk application approve {requestId}',
        'or: keydesk application reject {requestId} --reason "…"',
      ],
      after: [],
    },
    verification_approved: {
      subject: 'Your application at {service} is verified',
      before: [
        'your application {application} at {service} is verified. People see this when they allow it.',
      ],
      action: 'Open the application',
      after: [],
    },
    verification_rejected: {
      subject: 'Your request for verification at {service} was rejected',
      before: ['your application {application} at {service} was not verified. The reason: {reason}'],
      action: 'Open the application',
      after: ['You can request verification again on the page of the application.'],
    },
  },
};

const de: Catalogue = {
  greeting: 'Guten Tag,',
  closing: 'Diese Nachricht wurde von {service} automatisch verschickt. Antworten darauf liest niemand.',
  duration: { hours: ['1 Stunde', '{count} Stunden'], minutes: ['1 Minute', '{count} Minuten'] },
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
    role_requested: {
      subject: 'Bei {service} wird eine Rolle beantragt',
      before: [
        'für die Anwendung {clientId} bei {service} wird die Rolle {role} beantragt.',
        'Die Begründung zeigt: keydesk application list --pending',
        'So entscheiden Sie: keydesk application approve {requestId}',
        'oder: keydesk application reject {requestId} --reason "…"',
      ],
      after: [],
    },
    role_approved: {
      subject: 'Ihre Anwendung bei {service} hat eine Rolle',
      before: ['Ihre Anwendung {application} bei {service} hat ab ihrem nächsten Token die Rolle {role}.'],
      action: 'Zur Anwendung',
      after: [],
    },
    role_rejected: {
      subject: 'Ihr Antrag auf eine Rolle bei {service} wurde abgelehnt',
      before: [
        'Ihre Anwendung {application} bei {service} erhält die Rolle {role} nicht. Die Begründung: {reason}',
      ],
      action: 'Zur Anwendung',
      after: ['Auf der Seite der Anwendung können Sie erneut eine Rolle beantragen.'],
    },
    verification_requested: {
      subject: 'Bei {service} wird eine Prüfung beantragt',
      before: [
        'für die Anwendung {clientId} bei {service} wird die Prüfung beantragt.',
        'Die Begründung zeigt: keydesk application list --pending',
        'So entscheiden Sie: keydesk application approve {requestId}',
        'oder: keydesk application reject {requestId} --reason "…"',
      ],
      after: [],
    },
    verification_approved: {
      subject: 'Ihre Anwendung bei {service} ist geprüft',
      before: ['Ihre Anwendung {application} bei {service} ist geprüft. Wer sie zulässt, sieht das.'],
      action: 'Zur Anwendung',
      after: [],
    },
    verification_rejected: {
      subject: 'Ihr Antrag auf Prüfung bei {service} wurde abgelehnt',
      before: [
        'Ihre Anwendung {application} bei {service} wurde nicht als geprüft anerkannt. Die Begründung: {reason}',
      ],
      action: 'Zur Anwendung',
      after: ['Auf der Seite der Anwendung können Sie die Prüfung erneut beantragen.'],
    },
  },
};

export const messageTexts: Readonly<Record<Language, Catalogue>> = { en, de };
