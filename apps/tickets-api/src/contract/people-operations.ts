import { z } from 'zod';
import { scopes } from '../access.ts';
import { meSchema } from '../people/me.ts';
import { personSchema } from '../people/person.ts';
import { peopleParametersSchema } from '../people/routes.ts';
import { createComponent, createPage } from './component.ts';
import type { Operation } from './operation.ts';

const ada = {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6072',
  email: 'ada@example.com',
  addresses: ['ada@example.com', 'ada.king@example.com'],
  name: 'Ada',
  created_at: '2026-01-31T09:00:00.000Z',
};
const person = createComponent('Person', 'person', personSchema, {
  ...ada,
  role: 'customer',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 1,
});
const me = createComponent('Me', 'me', meSchema, {
  person: ada,
  email: ada.email,
  name: ada.name,
  role: 'customer',
  scopes: ['tickets:read', 'tickets:write'],
  client_id: 'mobile-app',
});
const tagged = ['ETag', 'Cache-Control'] as const;

/** What clients can learn of people. */
export const peopleOperations: readonly Operation[] = [
  {
    id: 'listPeople',
    method: 'GET',
    tag: 'people',
    path: '/people',
    summary: 'Find people',
    description:
      'For agents and administrators, in order of e-mail address; people without an address come last.',
    scope: scopes.read,
    query: peopleParametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'A page of people',
      component: createPage(person, 'people'),
      headers: [...tagged, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'fetchPerson',
    method: 'GET',
    tag: 'people',
    path: '/person/{person_id}',
    pathParameters: {
      person_id: z.uuid().meta({ description: 'The `id` of the person', examples: [ada.id] }),
    },
    summary: 'Fetch one person',
    description: 'Customers can fetch themselves alone.',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The person', component: person, headers: tagged },
  },
  {
    id: 'fetchMe',
    method: 'GET',
    tag: 'people',
    path: '/me',
    summary: 'Fetch who the token stands for',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'Who asks', component: me, headers: tagged },
  },
];
