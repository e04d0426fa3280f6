import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@keydesk/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDocument } from '../openapi/create-document.ts';
import { operations } from '../operations.ts';
import { createAnswerCheck } from './answer-check.fixture.ts';
import type { ContractAnswer } from './contract-check.fixture.ts';

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
const { responses } = createDocument(operations, options).components;
const [example] = Object.values(
  responses.internal_error?.content?.['application/problem+json']?.examples ?? {},
);
const [exampleXml] = Object.values(
  responses.internal_error?.content?.['application/problem+xml']?.examples ?? {},
);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keydesk-answers-'));
});
afterEach(() => rm(folder, { recursive: true }));

function failure(format: 'json' | 'xml', text: string): ContractAnswer {
  const headers = {
    'Content-Type': `application/problem+${format}`,
    'X-Request-Id': 'request-1',
    'API-Version': '1.0.0',
    'Cache-Control': 'no-store',
  };
  return { status: 500, headers: new Headers(headers), text };
}

describe('the answer check', () => {
  test('rejects a documented 5xx unless the test allows failures', () => {
    const answer = failure('json', JSON.stringify(example?.value));
    const strict = createAnswerCheck({ ...options, folder, mayFail: false });
    expect(() => strict.check('GET', '/me.json', answer)).toThrow('500 to GET /me.json');
    createAnswerCheck({ ...options, folder, mayFail: true }).check('GET', '/me.json', answer);
  });
});

describeWith('xmllint', 'the answer check of XML', () => {
  test('accepts XML that the schemas allow and rejects other XML at the end', async () => {
    const good = createAnswerCheck({ ...options, folder, mayFail: true });
    const text = String(exampleXml?.value);
    good.check('GET', '/me.xml', failure('xml', text));
    await good.finish();
    const bad = createAnswerCheck({ ...options, folder, mayFail: true });
    // The order of elements is irrelevant to the OpenAPI document.
    const swapped = text.replace(/(<title>.*<\/title>)(<status>.*<\/status>)/, '$2$1');
    expect(swapped).not.toBe(text);
    bad.check('GET', '/me.xml', failure('xml', swapped));
    await expect(bad.finish()).rejects.toThrow('fails to validate');
  });
});
