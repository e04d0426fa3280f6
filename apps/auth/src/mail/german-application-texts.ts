import type { Catalogue } from './message-texts.ts';

/** German texts of the mails about applications. */
export const applicationMessages = {
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
  application_invited: {
    subject: 'Sie sind eingeladen, eine Anwendung bei {service} mitzubetreuen',
    before: [
      '{from} lädt Sie ein, gemeinsam eine Anwendung bei {service} zu betreuen.',
      'Um zu sehen, welche es ist, und um anzunehmen oder abzulehnen, melden Sie sich mit der Adresse {email} an. Wenn Sie noch kein Konto haben, können Sie dort eines anlegen:',
    ],
    action: 'Einladung ansehen',
    after: [
      'Der Link gilt einmal und {duration} lang.',
      'Wenn Sie {from} nicht kennen, übergehen Sie diese Nachricht: Ohne Ihre Antwort geschieht nichts.',
    ],
  },
  co_owner_joined: {
    subject: 'Ihre Anwendung bei {service} wird nun auch von jemand anderem betreut',
    before: [
      '{person} betreut nun Ihre Anwendung {application} bei {service} mit.',
      'Wer eine Anwendung mitbetreut, kann sie und ihre Geheimnisse ändern. War das nicht beabsichtigt, kann ihr Eigentümer die Person entfernen:',
    ],
    action: 'Zur Anwendung',
    after: [],
  },
  co_owner_removed: {
    subject: 'Sie betreuen eine Anwendung bei {service} nicht mehr mit',
    before: ['Sie betreuen die Anwendung {application} bei {service} nicht mehr mit.'],
    after: [],
  },
  application_handed_over: {
    subject: 'Eine Anwendung bei {service} hat einen neuen Eigentümer',
    before: [
      '{person} ist nun Eigentümer der Anwendung {application} bei {service}.',
      'Wer die Anwendung zulassen soll, sieht den Eigentümer. War sie geprüft, muss sie deshalb neu geprüft werden.',
    ],
    action: 'Zur Anwendung',
    after: [],
  },
} satisfies Partial<Catalogue['messages']>;
