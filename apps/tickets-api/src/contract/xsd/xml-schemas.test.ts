import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../tests/api.fixture.ts';

const run = promisify(execFile);

describeWith('xmllint', 'XML Schemas (XML Schema 1.0) in libxml2', (xmllint) => {
  let api: TestApi;
  let folder: string;
  beforeAll(async () => {
    api = await startApi();
    folder = await mkdtemp(join(tmpdir(), 'keydesk-xsd-'));
    for (const name of ['schema.xsd', 'problem.xsd']) {
      const { status, text } = await api.request('GET', `/${name}`, undefined, { Authorization: undefined });
      expect(status).toBe(200);
      await writeFile(join(folder, name), text);
    }
  });
  afterAll(async () => {
    await api.stop();
    await rm(folder, { recursive: true });
  });

  /** Rejects with the report of libxml2 if the schema does not allow the document. */
  async function validate(xml: string): Promise<void> {
    const file = join(folder, 'answer.xml');
    await writeFile(file, xml);
    await run(xmllint, ['--noout', '--nonet', '--schema', join(folder, 'schema.xsd'), file]);
  }

  const full = {
    subject: 'ünï <&> ]]>',
    description: ' \r\n\t',
    type: 'task',
    requester: { email: 'ada@example.com', name: null },
    assignee: { email: 'grace@example.com', name: 'Grace' },
    tags: ['a', 'b'],
    custom_fields: {
      text: 'x',
      empty: '',
      number: -1.5e300,
      yes: true,
      none: null,
      list: ['a', ''],
      bare: [],
    },
    external_id: 'E-1',
    due_at: '2026-02-03T04:05:06+01:00',
  };

  describe('accept', () => {
    test('a ticket with every kind of value, and a minimal one', async () => {
      for (const fields of [full, {}]) {
        const { id } = await api.addTicket(fields);
        await validate((await api.request('GET', `/ticket/${id}.xml`)).text);
      }
    });

    test('a page, the last page and an empty one', async () => {
      await api.addTicket(full);
      await api.addTicket(full);
      const paths = ['?limit=1', '', '?tag=unknown'].map((query) => `/tickets.xml${query}`);
      for (const path of paths) await validate((await api.request('GET', path)).text);
    });

    test('changes of tickets and replies, tombstones, and an empty page', async () => {
      const { id } = await api.addTicket(full);
      await api.request('POST', `/ticket/${id}/replies.json`, { body: 'x' });
      await api.request('DELETE', `/ticket/${(await api.addTicket()).id}.json`);
      for (const query of ['?limit=100', '?limit=1', '?since=now']) {
        const { status, text } = await api.request('GET', `/changes.xml${query}`);
        expect(status).toBe(200);
        await validate(text);
      }
    });

    test('responses to creation, change and deletion', async () => {
      const created = await api.request('POST', '/tickets.xml', full);
      const id = /<id>(.*)<\/id>/.exec(created.text)?.[1];
      const changed = await api.request('PUT', `/ticket/${id}.xml`, { status: 'open' });
      const deleted = await api.request('DELETE', `/ticket/${id}.xml`);
      for (const { status, text } of [created, changed, deleted]) {
        expect(status).toBeLessThan(300);
        await validate(text);
      }
    });

    test('every kind of problem, with input errors and with the current ticket', async () => {
      const { id } = await api.addTicket(full);
      const stale = { 'If-Match': '"7-xml"' };
      const answers = [
        await api.request('GET', '/ticket/none.xml'),
        await api.request('GET', '/tickets.xml', undefined, { Authorization: undefined }),
        await api.request('POST', '/tickets.xml', { status: 'odd', more: 1 }),
        await api.request('PUT', `/ticket/${id}.xml`, { status: 'open' }, stale),
        await api.request('PUT', '/tickets.xml', {}),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 401, 400, 412, 405]);
      for (const { text } of answers) await validate(text);
    });
  });

  describe('reject', () => {
    test.each([
      ['another root', /ticket>/g, 'tickt>'],
      ['an unknown element', '<subject>', '<secret/><subject>'],
      ['a missing element', /<id>.*?<\/id>/, ''],
      ['another order', /(<id>.*<\/id>)(<subject>.*<\/subject>)/, '$2$1'],
      ['an unknown enumeration value', '<status_category>new<', '<status_category>lost<'],
      ['null for an element that is not nillable', /<subject>.*<\/subject>/, '<subject nil="true"/>'],
      ['text instead of a number', /<version>1</, '<version>one<'],
      ['an invalid time', /<created_at>.*<\/created_at>/, '<created_at>yesterday</created_at>'],
      ['other items', /tag>/g, 'label>'],
      ['an entry without a key', '<field key="text">', '<field>'],
      ['an unknown attribute', '<ticket>', '<ticket lang="en">'],
      ['a namespace', '<ticket>', '<ticket xmlns="urn:other">'],
    ])('%s', async (_, found, replacement) => {
      const { id } = await api.addTicket(full);
      const { text } = await api.request('GET', `/ticket/${id}.xml`);
      const wrong = text.replace(found, replacement);
      expect(wrong).not.toBe(text);
      await expect(validate(wrong)).rejects.toThrow('fails to validate');
    });
  });
});
