import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createDefinitionCatalogue, createFieldCatalogue, createRoleCatalogue } from './catalogues.ts';
import { createTicketChanges } from './commit/ticket-changes.ts';
import type { TicketQueue } from './commit/ticket-queue.ts';
import { createTicketWriter, type TicketWriter } from './commit/ticket-writer.ts';
import { createDefinitions } from './definitions/definitions.ts';
import { createChangeFeed } from './feed/change-feed.ts';
import { createFields } from './fields/fields.ts';
import { createHistory } from './history/history.ts';
import { createJobs } from './jobs/jobs.ts';
import { createLinks } from './links/links.ts';
import { createCorrections } from './people/correct-person.ts';
import { createMaskAtSignIn, createMasking } from './people/masking.ts';
import { createMerge } from './people/merge.ts';
import { createAdoption, createMergedTickets } from './people/merged-tickets.ts';
import { createPeople } from './people/people.ts';
import { createRepoint } from './people/repoint.ts';
import { createLoadViewer } from './people/viewer.ts';
import { createReplies } from './replies/replies.ts';
import { createRoles } from './roles/roles.ts';
import type { Storage } from './storage.ts';
import { createExternalTickets } from './tickets/external-tickets.ts';
import { createTickets } from './tickets/tickets.ts';

/** Settings of the rules; `config.ts` describes each. */
export interface HelpdeskSettings {
  readonly replyEditMinutes: number;
  readonly solvedClosesAfterDays: number;
  readonly purgeDeletedAfterDays: number;
  readonly changesRetentionDays: number;
}

export interface HelpdeskDeps {
  config: HelpdeskSettings;
  storage: Storage;
  /** Shared by all writers of tickets in the process. */
  queue: TicketQueue;
  log: Logger;
  now: () => Date;
  newId: () => string;
  /** Time in milliseconds that a merge of people spends on moving tickets before it responds. */
  mergeLimitMs?: number | undefined;
}

/** Operations of each area, connected to the stores and to each other. */
export type Helpdesk = ReturnType<typeof createHelpdesk>;

export function createHelpdesk(deps: HelpdeskDeps) {
  const { config, storage, queue, now, newId } = deps;
  const { tickets: store, people: directory, replies } = storage;
  const { replyEditMinutes: editMinutes } = config;
  const catalogues = createCatalogues(deps);
  const writer = createTicketWriter({ ...storage, queue, catalogue: catalogues.fields, now, newId });
  const { people, mergedTickets, masking } = createPersonServices(deps, catalogues);
  return {
    loadViewer: createLoadViewer({
      people,
      catalogue: catalogues.fields,
      definitions: catalogues.definitions,
      roles: catalogues.roles,
    }),
    tickets: createTickets({ store, writer, people, directory, replies, newId }),
    externalTickets: createExternalTickets({ store, writer, people, newId }),
    ticketChanges: createTicketChanges({ store, writer, people }),
    links: createLinks({ store, writer }),
    tags: storage.tags,
    replies: createReplies({ tickets: store, store: replies, writer, people, newId, editMinutes }),
    history: createHistory({ tickets: store, store: storage.events }),
    feed: createChangeFeed(storage),
    people,
    correctPerson: createCorrections({ people, store: directory, now }),
    mergePeople: createMerge({ people: directory, tickets: mergedTickets, now, limitMs: deps.mergeLimitMs }),
    ...createAdministration(deps, catalogues, writer),
    runJobs: createJobs({
      storage,
      writer,
      mergedTickets,
      masking,
      log: deps.log,
      now,
      newId,
      ...toJobSettings(config),
    }),
  };
}

type Catalogues = ReturnType<typeof createCatalogues>;

/** Creates the caches of what administrators define. */
function createCatalogues({ storage, now }: HelpdeskDeps) {
  return {
    fields: createFieldCatalogue({ store: storage.fields, now }),
    definitions: createDefinitionCatalogue({ store: storage.definitions, now }),
    roles: createRoleCatalogue({ store: storage.roles, now }),
  };
}

/** Creates the people, and what moves or masks them on their tickets. */
function createPersonServices({ storage, now, newId }: HelpdeskDeps, { fields: catalogue }: Catalogues) {
  const repoint = createRepoint({ storage, catalogue, now, newId });
  const mergedTickets = createMergedTickets({ storage, repoint, now });
  const masking = createMasking({ storage, catalogue, now, newId });
  const [adopt, mask] = [createAdoption(mergedTickets), createMaskAtSignIn(masking)];
  const people = createPeople({ store: storage.people, now, newId: randomUUID, adopt, mask });
  return { people, mergedTickets, masking };
}

/** Creates the operations on what administrators define. */
function createAdministration(
  { storage, now, newId }: HelpdeskDeps,
  catalogues: Catalogues,
  writer: TicketWriter,
) {
  const { fields, definitions, roles, tickets } = storage;
  return {
    fields: createFields({ store: fields, catalogue: catalogues.fields, now, newId }),
    definitions: createDefinitions({
      store: definitions,
      catalogue: catalogues.definitions,
      tickets,
      writer,
      now,
      newId,
    }),
    roles: createRoles({ store: roles, catalogue: catalogues.roles, now, newId }),
  };
}

function toJobSettings(config: HelpdeskSettings) {
  return {
    closesAfterDays: config.solvedClosesAfterDays,
    purgesAfterDays: config.purgeDeletedAfterDays,
    retentionDays: config.changesRetentionDays,
  };
}
