import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { PersonStore } from '../helpdesk/people/person-store.ts';
import { createSignIns, type SignIn } from '../helpdesk/people/sign-in.ts';
import { onEveryEngine, openTwice } from './engines.fixture.ts';

onEveryEngine((createDatabase) => {
  const opened = openTwice(createDatabase);

  const signInsOf = (store: PersonStore) =>
    createSignIns({
      store,
      now: () => new Date(),
      newId: randomUUID,
      adopt: async () => undefined,
      mask: async () => undefined,
    });

  it('add one person when another process adds them between two reads', async () => {
    const claims: SignIn = {
      identity: { issuer: 'https://issuer.example', subject: randomUUID() },
      issuedAt: 1_000,
      email: `${randomUUID()}@example.com`,
      name: 'Ada',
      role: 'customer',
    };
    const { people } = opened.storage;
    const signInElsewhere = signInsOf(opened.other.people);
    const signIn = signInsOf({
      ...people,
      async findByIdentity(identity) {
        const found = await people.findByIdentity(identity);
        await signInElsewhere(claims);
        return found;
      },
    });
    const record = await signIn(claims);
    expect(record).toBeDefined();
    expect(record).toEqual(await people.findByIdentity(claims.identity));
    expect(await people.findByEmail(claims.email ?? '')).toEqual(record);
  });
});
