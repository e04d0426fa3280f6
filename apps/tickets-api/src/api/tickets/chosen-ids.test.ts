import { randomUUID } from 'node:crypto';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { replayedParts } from '../http/replayed-answer.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

onEveryEngine((createDatabase) => {
  describe('an id that the client chooses (RFC 9562)', () => {
    let api: TestApi;
    let storageUrl: string;
    let agent: Send;
    let admin: Send;
    let ada: Send;
    useApi(createDatabase, (started, url) => {
      api = started;
      storageUrl = url;
      agent = signIn(api, 'agent', 'grace@example.com');
      admin = signIn(api, 'admin', 'root@example.com');
      ada = signIn(api, 'customer', 'ada@example.com');
    });

    const addTicket = (send: Send, id: string, fields: object = {}, headers = {}) =>
      send('POST', '/tickets.json', { id, subject: 'Offline', ...fields }, headers);

    test.each([uuidv4, uuidv7])('names a ticket and its replies before they are sent: %o', async (newId) => {
      const [id, replyId] = [newId(), newId()];
      const added = await addTicket(ada, id.toUpperCase());
      expect([added.status, added.json.id]).toEqual([201, id]);
      expect(added.headers.get('Location')).toBe(`http://api.example/ticket/${id}.json`);
      const path = `/ticket/${id}/replies.json`;
      const replied = await ada('POST', path, { id: replyId, body: 'From the train' });
      expect([replied.status, replied.json.id, replied.json.ticket_id]).toEqual([201, replyId, id]);
      expect((await agent('GET', `/ticket/${id}/reply/${replyId}.json`)).status).toBe(200);
    });

    test('is accepted in XML and forms', async () => {
      const [inXml, inForm] = [uuidv4(), uuidv4()];
      const xml = `<ticket><id>${inXml}</id><subject>Offline</subject></ticket>`;
      const type = (value: string) => ({ 'Content-Type': value });
      const first = await agent('POST', '/tickets.xml', xml, type('application/xml'));
      expect(first.text).toContain(`<id>${inXml}</id>`);
      const form = `id=${inForm}&subject=Offline`;
      const second = await agent('POST', '/tickets.json', form, type('application/x-www-form-urlencoded'));
      expect(second.json.id).toBe(inForm);
      const reply = `<reply><id>${inXml}</id><body>Hello</body></reply>`;
      const third = await agent('POST', `/ticket/${inXml}/replies.xml`, reply, type('application/xml'));
      expect([third.status, third.text]).toEqual([201, expect.stringContaining(`<id>${inXml}</id>`)]);
    });

    test.each([
      '',
      'x',
      null,
      7,
      '00000000-0000-0000-0000-000000000000',
      'c232ab00-9414-11ec-b3c8-9f6bdeced846',
      `{${randomUUID()}}`,
      randomUUID().replaceAll('-', ''),
    ])('that is no UUID of version 4 or 7 is 400 with the field: %j', async (id) => {
      const { id: ticketId } = await api.addTicket();
      for (const [path, body] of [
        ['/tickets.json', { id, subject: 'x' }],
        [`/ticket/${ticketId}/replies.json`, { id, body: 'x' }],
      ] as const) {
        const { status, json } = await agent('POST', path, body);
        expect([status, json.errors]).toMatchObject([400, [{ field: 'id' }]]);
      }
    });

    test('with the same body gets the first answer again after later changes of the ticket', async () => {
      const id = uuidv7();
      const first = await addTicket(ada, id);
      await agent('PATCH', `/ticket/${id}.json`, { priority: 'high' });
      for (const headers of [{}, { 'Idempotency-Key': randomUUID() }]) {
        const again = await addTicket(ada, id, {}, headers);
        expect(replayedParts(again)).toEqual(replayedParts(first));
        expect(again.headers.get('Idempotency-Replayed')).toBe('true');
      }
      const reply = { id: uuidv4(), body: 'Once' };
      const send = () => ada('POST', `/ticket/${id}/replies.json`, reply);
      const replied = await send();
      await agent('DELETE', `/ticket/${id}.json`);
      expect(replayedParts(await addTicket(ada, id))).toEqual(replayedParts(first));
      const again = await send();
      expect([replayedParts(again), again.headers.get('Idempotency-Replayed')]).toEqual([
        replayedParts(replied),
        'true',
      ]);
    });

    test('with another body or from another caller is 409, with the URL if the caller may see the resource', async () => {
      const [id, replyId] = [uuidv7(), uuidv7()];
      await addTicket(ada, id);
      await ada('POST', `/ticket/${id}/replies.json`, { id: replyId, body: 'Once' });
      const bob = signIn(api, 'customer', 'bob@example.com');
      const { id: ofBob } = (await bob('POST', '/tickets.json', { subject: 'Of Bob' })).json;
      const url = `http://api.example/ticket/${id}`;
      for (const [answer, resource_url] of [
        [await addTicket(ada, id, { priority: 'low' }), `${url}.json`],
        [await addTicket(agent, id), `${url}.json`],
        [await addTicket(bob, id), undefined],
        [
          await ada('POST', `/ticket/${id}/replies.json`, { id: replyId, body: 'x' }),
          `${url}/reply/${replyId}.json`,
        ],
        [await bob('POST', `/ticket/${ofBob}/replies.json`, { id: replyId, body: 'Once' }), undefined],
      ] as const) {
        expect([answer.status, answer.json.code, answer.json.resource_url]).toEqual([
          409,
          'id_in_use',
          resource_url,
        ]);
      }
      const xml = await agent('POST', '/tickets.xml', { id, subject: 'x' });
      expect(xml.text).toContain(`<resource_url>${url}.xml</resource_url>`);
      expect((await agent('GET', `/ticket/${id}.json`)).json).toMatchObject({
        subject: 'Offline',
        version: 2,
      });
    });

    test('is part of the request of an Idempotency-Key: another id with the same key is 422', async () => {
      const [id, key] = [uuidv4(), { 'Idempotency-Key': randomUUID() }];
      const first = await addTicket(agent, id, {}, key);
      expect(replayedParts(await addTicket(agent, id, {}, key))).toEqual(replayedParts(first));
      expect((await addTicket(agent, uuidv4(), {}, key)).json.code).toBe('idempotency_mismatch');
    });

    test('is never reusable, however its resource was removed', async () => {
      const [id, inPurged] = [uuidv4(), uuidv4()];
      const { id: kept } = await api.addTicket();
      const { id: chosenByServer } = await api.addTicket();
      const removed = { id: uuidv4(), body: 'Taken back' };
      await addTicket(agent, id);
      await agent('POST', `/ticket/${id}/replies.json`, { id: inPurged, body: 'x' });
      await agent('POST', `/ticket/${kept}/replies.json`, removed);
      await agent('DELETE', `/ticket/${kept}/reply/${removed.id}.json`);
      for (const each of [id, chosenByServer]) await admin('DELETE', `/ticket/${each}.json?purge=true`);
      for (const { status, json } of [
        await addTicket(agent, id),
        await addTicket(ada, chosenByServer),
        await agent('POST', `/ticket/${kept}/replies.json`, removed),
        await agent('POST', `/ticket/${kept}/replies.json`, { id: inPurged, body: 'x' }),
      ]) {
        expect([status, json.code, json.resource_url]).toEqual([409, 'id_in_use', undefined]);
      }
    });

    test('in twenty concurrent requests to two processes creates one ticket; the others get its answer', async () => {
      const other = await startApi({ storageUrl });
      const id = uuidv7();
      const send = (to: TestApi) => to.request('POST', '/tickets.json', { id, subject: 'Raced', tags: [id] });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 ? api : other)));
      const created = answers.filter(
        ({ status, headers }) => status === 201 && !headers.get('Idempotency-Replayed'),
      );
      expect(created).toHaveLength(1);
      const done = answers.filter(({ status }) => status === 201);
      for (const { text } of done) expect(text).toBe(created[0]?.text);
      // A racing request in another process may take longer than a request waits.
      for (const { status, json } of answers.filter((answer) => !done.includes(answer))) {
        expect([status, json.code]).toEqual([409, 'conflict']);
      }
      expect((await api.request('GET', `/tickets.json?tag=${id}`)).json.tickets).toHaveLength(1);
      await other.stop();
    });
  });
});
