import { randomUUID } from 'node:crypto';
import type { FieldCatalogue } from '../fields/field-catalogue.ts';
import type { Storage } from '../storage.ts';
import { createMaskAtSignIn, createMasking } from './masking.ts';
import { createAdoption, createMergedTickets, type MergedTickets } from './merged-tickets.ts';
import { createPeople, type People } from './people.ts';
import { createRepoint } from './repoint.ts';

export interface PeopleCasesDeps {
  storage: Pick<Storage, 'people' | 'tickets' | 'replies' | 'events' | 'erasure'>;
  catalogue: Pick<FieldCatalogue, 'current'>;
  now: () => Date;
  /** Creates ids of events. */
  newId: () => string;
}

/** Operations on people, and the job that moves the tickets of merged people. */
export interface PeopleCases {
  people: People;
  mergedTickets: MergedTickets;
}

export function createPeopleCases({ storage, catalogue, now, newId }: PeopleCasesDeps): PeopleCases {
  const repoint = createRepoint({ storage, catalogue, now, newId });
  const mergedTickets = createMergedTickets({ storage, repoint, now });
  const adopt = createAdoption(mergedTickets);
  const mask = createMaskAtSignIn(createMasking({ storage, catalogue, now, newId }));
  const people = createPeople({ store: storage.people, now, newId: randomUUID, adopt, mask });
  return { people, mergedTickets };
}
