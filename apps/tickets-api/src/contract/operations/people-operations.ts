import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { peopleGrammar } from '../../api/people/people-list.ts';
import { meSchema, peopleResponder } from '../../api/people/routes.ts';
import { mergeSchema } from '../../helpdesk/people/merge.ts';
import { personContentSchema, personEditSchema, personSchema } from '../../helpdesk/people/person.ts';
import { defaultRights } from '../../helpdesk/roles/right.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';

const ada = {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  email: 'ada@example.com',
  addresses: ['ada@example.com', 'ada.king@example.com'],
  name: 'Ada',
  phone: '+44 20 7946 0958',
  language: 'en-GB',
  time_zone: 'Europe/London',
  created_at: '2026-01-31T09:00:00.000Z',
};
const person = createComponent('Person', 'person', withEtag(personSchema), {
  ...ada,
  notes: 'Prefers to be called.',
  external_id: 'CRM-1815',
  role: 'customer',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 1,
  etag: '"1-9f3a2c41d7-json"',
});
/** Person in a list with sparse fieldsets. */
const selectedPerson = createComponent('PersonListItem', 'person', peopleResponder.schema, person.example);
const me = createComponent('Me', 'me', meSchema, {
  person: ada,
  email: ada.email,
  name: ada.name,
  role: 'customer',
  rights: defaultRights.customer,
  scopes: ['tickets:read', 'tickets:write'],
  client_id: 'mobile-app',
});
const corrections = { phone: '+44 20 7946 0958', time_zone: 'Europe/London' };
const personUpdate = createComponent('PersonUpdate', 'person', personEditSchema, corrections);
const personPatch = createComponent('PersonPatch', 'person', personContentSchema, corrections);
const personMerge = createComponent('PersonMerge', 'merge', mergeSchema, {
  person_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6074',
});
const onePerson = {
  tag: 'people',
  path: '/person/{person_id}',
  pathParameters: {
    person_id: z.uuid().meta({ description: 'The `id` of the person', examples: [ada.id] }),
  },
} as const;
const ifMatch = { header: 'If-Match', current: person } as const;
const cached = ['ETag', 'Cache-Control'] as const;

const changed = { component: person, headers: [...cached, 'Keydesk-Changed'] } as const;

/** Operations on people. */
export const peopleOperations: readonly Operation[] = [
  {
    id: 'listPeople',
    method: 'GET',
    tag: 'people',
    path: '/people',
    summary: 'Find people',
    description:
      'For agents and administrators. Sorted by e-mail address; people without an address come last.',
    scope: scopes.read,
    query: peopleGrammar.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of people',
      component: createPage(selectedPerson, 'people', { name: 'PersonPage', hasTotal: true }),
      headers: [...cached, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'fetchPerson',
    method: 'GET',
    ...onePerson,
    summary: 'Fetch one person',
    description: 'Customers can only fetch themselves.',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The person', component: person, headers: cached },
  },
  {
    id: 'editPerson',
    method: 'PUT',
    ...onePerson,
    summary: 'Edit a person',
    description:
      'For agents and administrators. Replaces the given members and keeps the others; read-only members may be sent back unchanged. Existing references in tickets keep the old name and address.',
    scope: scopes.write,
    isRepeatable: true,
    conditional: ifMatch,
    body: { resource: personUpdate },
    answer: { status: 200, description: 'The updated person', ...changed },
  },
  {
    id: 'patchPerson',
    method: 'PATCH',
    ...onePerson,
    summary: 'Change parts of a person',
    description:
      'For agents and administrators. Applies a JSON merge patch (RFC 7396): null clears a member.',
    scope: scopes.write,
    isRepeatable: true,
    conditional: ifMatch,
    body: { patchOf: personPatch, required: [] },
    answer: { status: 200, description: 'The updated person', ...changed },
  },
  {
    id: 'mergePeople',
    method: 'POST',
    ...onePerson,
    path: '/person/{person_id}/merge',
    summary: 'Merge another person into this one',
    description:
      'For agents and administrators. Moves addresses and accounts to this person, fills in empty members, joins notes, and changes every ticket and reply that refers to the other person, each ticket with an event. Afterwards the other id returns 404, but still identifies this person in requests. The response is sent after 15 seconds at the latest: with 202, the remaining tickets follow within minutes.',
    scope: scopes.write,
    isRepeatable: true,
    body: { resource: personMerge },
    answer: { status: 200, description: 'The merged person', ...changed },
    otherAnswer: {
      status: 202,
      description: 'The merged person; some tickets are changed later',
      ...changed,
    },
  },
  {
    id: 'fetchMe',
    method: 'GET',
    tag: 'people',
    path: '/me',
    summary: 'Fetch the caller',
    description:
      'Returns the person or machine client, its role with its rights, and the scopes and client of the token.',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The caller', component: me, headers: cached },
  },
];
