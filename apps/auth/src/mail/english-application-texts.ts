import type { Catalogue } from './message-texts.ts';

/** English texts of the mails about applications. */
export const applicationMessages = {
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
    before: ['your application {application} at {service} now has the role {role}, from its next token on.'],
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
    before: ['your application {application} at {service} is verified. People see this when they allow it.'],
    action: 'Open the application',
    after: [],
  },
  verification_rejected: {
    subject: 'Your request for verification at {service} was rejected',
    before: ['your application {application} at {service} was not verified. The reason: {reason}'],
    action: 'Open the application',
    after: ['You can request verification again on the page of the application.'],
  },
  application_invited: {
    subject: 'You are invited to look after an application at {service}',
    before: [
      '{from} invites you to look after an application at {service} together.',
      'To see which one, and to accept or decline, sign in with the address {email}. If you have no account yet, you can create one there:',
    ],
    action: 'See the invitation',
    after: [
      'The link works once, for {duration}.',
      'If you do not know {from}, ignore this mail: nothing happens without your answer.',
    ],
  },
  co_owner_joined: {
    subject: 'Your application at {service} has a new co-owner',
    before: [
      '{person} is now a co-owner of your application {application} at {service}.',
      'Co-owners can change the application and its secrets. If this was not intended, its owner can remove them:',
    ],
    action: 'Open the application',
    after: [],
  },
  co_owner_removed: {
    subject: 'You are no longer a co-owner of an application at {service}',
    before: ['you are no longer a co-owner of the application {application} at {service}.'],
    after: [],
  },
  application_handed_over: {
    subject: 'An application at {service} has a new owner',
    before: [
      '{person} is now the owner of the application {application} at {service}.',
      'People see the owner when they are asked to allow it, so an operator has to verify it again if it was verified.',
    ],
    action: 'Open the application',
    after: [],
  },
} satisfies Partial<Catalogue['messages']>;
