import { randomUUID } from 'node:crypto';
import { boundedCommit, openMongo } from '@keydesk/storage/mongo';
import { createTransactions } from '@keydesk/storage/mongo-transactions';
import { describeWith } from '@keydesk/testing';
import { expect, it } from 'vitest';
import { createMongoArtifactStore } from './artifacts.ts';

describeWith('mongodb', 'commits in MongoDB', (url) => {
  it('time out in seconds if no majority acknowledges them', async () => {
    const monitored = new URL(url);
    monitored.searchParams.set('monitorCommands', 'true');
    const database = `commits-${randomUUID().slice(0, 8)}`;
    const connection = await openMongo({ url: monitored.href, database });
    const limits: unknown[] = [];
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'commitTransaction') limits.push(command.maxTimeMS);
    });
    const artifacts = createMongoArtifactStore(connection, createTransactions(connection));
    const at = new Date();
    const token = {
      model: 'RefreshToken',
      payload: new Uint8Array(),
      expiresAt: new Date(at.getTime() + 60_000),
    };
    await artifacts.upsert({ ...token, key: 'first' });
    expect(await artifacts.redeem('first', at, { issued: { ...token, key: 'next' } })).toBe(true);
    expect(limits).toEqual([boundedCommit.maxCommitTimeMS]);
    await connection.dropDatabase();
    await connection.close();
  });
});
