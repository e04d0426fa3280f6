import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { type Answer, startApi, type TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { connect, type Send, signIn } from '../people/people.fixture.ts';
import { outcomeOf, pathOf, refusalOf } from './external-ids.fixture.ts';

onEveryEngine((createDatabase, { writes }) => {
  describe('a nightly import by external ids', () => {
    let api: TestApi;
    let storageUrl: string;
    let job: Send;
    let admin: Send;
    useApi(createDatabase, (started, url) => {
      api = started;
      storageUrl = url;
      job = connect(api, 'agent', 'nightly-import');
      admin = signIn(api, 'admin', 'root@example.com');
    });

    test('adds no version, event or feed entry when it runs again', async () => {
      const rows = Array.from({ length: 12 }, (_, i) => ({
        id: `night/${i}.${randomUUID()}`,
        body: {
          subject: ` Case ${i} `,
          requester: { email: `Customer${i % 3}@example.com`, ...(i % 2 && { name: `Customer ${i}` }) },
          cc: [{ email: 'boss@example.com' }],
          tags: ['import', `t${i}`],
          custom_fields: { number: i, vip: i % 2 === 0, rooms: ['1', '2'] },
          due_at: '2027-01-31T10:00:00+01:00',
          priority: 'high',
        },
      }));
      const run = () => Promise.all(rows.map(({ id, body }) => job('PUT', pathOf(id), body)));
      const first = await run();
      expect(first.map(({ status }) => status)).toEqual(rows.map(() => 201));
      // The import must keep changes that the helpdesk makes in the meantime: a closed ticket, a corrected person.
      const [closed] = first;
      for (const status of ['solved', 'closed'])
        await admin('PATCH', `/ticket/${closed?.json.id}.json`, { status });
      const { id: person } = (closed as Answer).json.requester as { id: string };
      await admin('PATCH', `/person/${person}.json`, { name: 'Corrected' });
      const state = async () => {
        const { position } = (await job('GET', '/changes.json?since=now')).json;
        const lists = rows.map(async ({ id }) => (await job('GET', pathOf(id))).text);
        return { position, tickets: await Promise.all(lists) };
      };
      const before = await state();
      const second = await run();
      expect(second.map(outcomeOf)).toEqual(rows.map(() => [200, 'false']));
      expect(await state()).toEqual(before);
      const { json } = await job('GET', `/changes.json?since=${before.position}`);
      expect(json.changes).toEqual([]);
    });

    test('adds one ticket in twenty concurrent requests to two processes, and the other requests edit it', async () => {
      const other = await startApi({ storageUrl, issuer: api.issuer });
      const id = randomUUID();
      const send = (i: number) =>
        connect(i % 2 ? api : other, 'agent', 'nightly-import')('PUT', pathOf(id), { subject: 'Raced' });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
      expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
      expect((await job('GET', pathOf(id))).json.version).toBe(1);
      const unique = randomUUID();
      const post = (i: number) => {
        const sender = connect(i % 2 ? api : other, 'agent', 'nightly-import');
        return sender('POST', '/tickets.json?external_id_unique=true', { subject: 'x', external_id: unique });
      };
      const posted = await Promise.all(Array.from({ length: 20 }, (_, i) => post(i)));
      const winner = posted.find(({ status }) => status === 201);
      const url = `http://api.example/ticket/${winner?.json.id}.json`;
      for (const answer of posted.filter((each) => each !== winner)) {
        expect(refusalOf(answer)).toEqual([409, 'external_id_in_use', url]);
      }
      await other.stop();
    });

    test('adds each ticket once when three processes import at the same time', async () => {
      const { issuer } = api;
      const claims = {
        role: 'agent',
        sub: 'racing-import',
        client_id: 'racing-import',
        scope: 'tickets:write tickets:read',
      };
      const shared = JSON.stringify({
        issuer: issuer.issuer,
        jwksUrl: issuer.jwksUrl,
        token: issuer.token(claims),
      });
      const program = fileURLToPath(new URL('./nightly-import.main.fixture.ts', import.meta.url));
      const children = [1, 2, 3].map(() =>
        fork(program, [storageUrl, String(writes), shared], { execArgv: [], silent: true }),
      );
      await Promise.all(children.map((child) => once(child, 'message')));
      const outputs = children.map((child) => text(child.stdout as NodeJS.ReadableStream));
      for (const child of children) child.send('go');
      await Promise.all(children.map((child) => once(child, 'exit')));
      const lines = (await Promise.all(outputs)).flatMap((output) => output.trim().split('\n'));
      expect(lines.filter((line) => !/^20[01] /.test(line))).toEqual([]);
      expect(lines).toHaveLength(3 * writes);
      // If the database committed but answered 503, the repetition is 200.
      expect(lines.filter((line) => line.startsWith('201 ')).length).toBeLessThanOrEqual(writes);
      expect(new Set(lines.map((line) => line.split(' ')[1])).size).toBe(writes);
    });
  });
});
