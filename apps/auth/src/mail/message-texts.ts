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
] as const;
export type MessageKind = (typeof messageKinds)[number];

export interface MessageText {
  subject: string;
  /** Paragraphs before the link. */
  before: readonly string[];
  /** What the link is for; every mail has one link. */
  action: string;
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
  },
};

export const messageTexts: Readonly<Record<Language, Catalogue>> = { en, de };
