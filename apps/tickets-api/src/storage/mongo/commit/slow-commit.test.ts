import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMongo } from '@keydesk/storage/mongo';
import { createCollections } from '@keydesk/storage/mongo-indexes';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import {
  type CommandInTransit,
  type CommandProxy,
  describeWith,
  startCommandProxy,
  useStarted,
} from '@keydesk/testing';
import { expect, it } from 'vitest';
import { changed, newTicket } from '../../../api/tickets/new-ticket.fixture.ts';
import { adding, changing } from '../../../helpdesk/commit/ticket-commit.fixture.ts';
import { createModels, listCollections } from '../schema.ts';
import { createTicketStore } from '../tickets/tickets.ts';

/** Longer than a process may stall before other processes end its transactions. */
const HOLD_MS = 5_000;

const isCommit = ({ name }: CommandInTransit) => name === 'commitTransaction';
const isBeat = ({ name, collection }: CommandInTransit) => name === 'update' && collection === 'committers';

describeWith('mongodb', 'a commit that waits five seconds for a majority', (url) => {
  const database = `slow-${randomUUID().slice(0, 8)}`;
  const proxy = useStarted<CommandProxy & { stop(): Promise<void> }>(async () => {
    const started = await startCommandProxy(Number(new URL(url).port));
    return { ...started, stop: started.close };
  });
  const slow = useStarted(() => {
    const behind = new URL(url);
    behind.port = String(proxy.port);
    behind.searchParams.set('directConnection', 'true');
    return open(behind.href);
  });
  const another = useStarted(() => open(url));

  async function open(location: string) {
    const connection = await openMongo({ url: location, database });
    const models = createModels(connection);
    await createCollections(connection, listCollections(models));
    return {
      connection,
      store: createTicketStore(models, { now: () => new Date() }),
      async stop() {
        proxy.apply(undefined);
        await connection.dropDatabase();
        await connection.close();
      },
    };
  }

  /** Starts a change whose commit is held on its way to or from the server; resolves when it is held. */
  async function startHeldChange(part: CommandInTransit['part'], { holdsBeats = false } = {}) {
    proxy.apply(undefined);
    const ticket = newTicket();
    await slow.store.commit([adding(ticket)]);
    const { promise: held, resolve: isHeld } = Promise.withResolvers<void>();
    let commits = 0;
    proxy.apply((command) => {
      if (holdsBeats && isBeat(command) && commits > 0) return sleep(HOLD_MS);
      if (!isCommit(command)) return undefined;
      if (command.part === 'request') commits += 1;
      if (command.part !== part || commits > 1) return undefined;
      isHeld();
      return sleep(HOLD_MS);
    });
    const first = changed(ticket, { subject: 'first' });
    const outcome = slow.store.commit([changing(first)]);
    await held;
    return { first, outcome, commits: () => commits };
  }

  it.each([
    ['its process is alive', false],
    ['its process seems to have stopped', true],
  ])('is not undone by another process that changes the ticket while %s', async (_, holdsBeats) => {
    const { first, outcome, commits } = await startHeldChange('reply', { holdsBeats });
    await createTransactions(another.connection).endStalled();
    const second = changed(first, { subject: 'second' });
    expect(await another.store.commit([changing(second)])).toEqual({ outcome: 'committed' });
    expect(await outcome).toEqual({ outcome: 'committed' });
    expect(commits()).toBe(1);
    const record = await another.store.find(first.id);
    expect(record?.ticket).toMatchObject({ version: second.version, subject: 'second' });
  });

  it('that reaches the server late races another change of the version, and exactly one is committed', async () => {
    const { first, outcome } = await startHeldChange('request');
    const rival = { ...first, subject: 'rival' };
    const outcomes = await Promise.all([
      outcome,
      another.store.commit([changing(rival)]).catch(({ code }: { code: string }) => ({ outcome: code })),
    ]);
    const committed = [first, rival].filter((_, i) => outcomes[i]?.outcome === 'committed');
    expect(committed, JSON.stringify(outcomes)).toHaveLength(1);
    const record = await another.store.find(first.id);
    expect(record?.ticket).toMatchObject({ version: first.version, subject: committed[0]?.subject });
  });
});
