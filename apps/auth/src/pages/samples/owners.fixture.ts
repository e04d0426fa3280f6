import type { Samples } from '../samples.fixture.ts';
import type { InvitationView, OwnersView, OwnerView } from '../views/owners.ts';
import { shell } from './account.fixture.ts';

const grace = { id: 'a1', name: 'Grace Hopper', email: 'grace@printshop.example' };
const ada = { id: 'a2', name: 'Ada Lovelace', email: 'ada@printshop.example' };
const person = { name: ada.name, email: ada.email };
const changeOf = (id: string, change: string) => `/account/applications/1/co-owners/${id}/${change}`;

export const owners = {
  people: [
    { ...grace, isReader: true },
    {
      ...ada,
      since: new Date('2026-01-20T08:00:00Z'),
      isReader: false,
      links: { handOver: changeOf('a2', 'hand-over'), remove: changeOf('a2', 'remove') },
    },
  ],
  invitations: [],
  form: { action: '/account/applications/1/invitations', csrf: 'b1f9c0d2' },
  max: 10,
} satisfies OwnersView;

export const invitedOwners = {
  ...owners,
  people: owners.people.map(({ links: _, ...person }: OwnerView) => ({
    ...person,
    isReader: person.id === ada.id,
  })),
  form: { ...owners.form, problems: [{ field: 'invited_email', code: 'already_invited' }] },
  leave: '/account/applications/1/leave',
  invitations: [
    {
      id: 'i1',
      email: 'donaudampfschifffahrtsgesellschaftskapitaenswitwe@printshop.example',
      expiresAt: new Date('2026-02-07T08:00:00Z'),
      isExpired: false,
      withdrawAction: '/account/applications/1/invitations/i1/withdraw',
    },
    {
      id: 'i2',
      email: 'katherine@printshop.example',
      expiresAt: new Date('2026-01-30T08:00:00Z'),
      isExpired: true,
      withdrawAction: '/account/applications/1/invitations/i2/withdraw',
    },
  ],
} satisfies OwnersView;

const change = {
  shell,
  form: owners.form,
  application: { name: 'Printshop Status', isVerified: true },
  links: { cancel: '/account/applications/1' },
};

const invitation = {
  shell,
  form: owners.form,
  state: 'pending',
  token: 'secret-from-the-link',
  application: {
    name: 'Printshop Status',
    owner: 'Grace Hopper',
    homePage: 'https://printshop.example',
    isVerified: false,
  },
  from: person,
  expiresAt: new Date('2026-02-07T08:00:00Z'),
} satisfies InvitationView;

const ended = { shell, links: { applications: '/account/applications', signOut: '/session/end' } };

export const ownerSamples = {
  renderRemoveApplication: {
    'remove-application': {
      shell,
      form: owners.form,
      application: { name: 'Printshop Status' },
      links: { cancel: '/account/applications/1' },
    },
  },
  renderChangeOwners: {
    'hand-over': { ...change, change: 'hand_over', person },
    'remove-co-owner': { ...change, change: 'remove_co_owner', person: { email: ada.email } },
    'leave-application': { ...change, change: 'leave' },
  },
  renderInvitation: {
    invitation,
    'invitation-unnamed': { ...invitation, from: { email: ada.email } },
    'invitation-accepted': { ...ended, state: 'accepted' },
    'invitation-declined': { ...ended, state: 'declined' },
    'invitation-withdrawn': { ...ended, state: 'withdrawn' },
    'invitation-expired': { ...ended, state: 'expired' },
    'invitation-other-account': { ...ended, state: 'other_account' },
    'invitation-unknown': { ...ended, state: 'unknown' },
  },
} satisfies Partial<Samples>;
