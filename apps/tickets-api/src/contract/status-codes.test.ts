import { readFileSync } from 'node:fs';
import { catalogue } from '@keydesk/http';
import { describe, expect, test } from 'vitest';
import { createDocument } from './openapi/create-document.ts';
import type { OpenApiDocument, ResponseObject } from './openapi/document.ts';
import { operations } from './operations.ts';

const page = readFileSync(new URL('../../../../docs/status-codes.md', import.meta.url), 'utf8');
const [, specified = '', beyond = ''] = page.split(/^## .*$/m);

/** The rows of a table as `404 not_found`, or the status alone where it has no code. */
function rowsOf(section: string): string[] {
  return [...section.matchAll(/^\| (\d{3}) \| (?:`(\w+)`)? ?\| \S/gm)].map(([, status, code]) =>
    code === undefined ? String(status) : `${status} ${code}`,
  );
}

const statusesOf = (rows: readonly string[]) => [...new Set(rows.map((row) => row.slice(0, 3)))];

/** Statuses and codes of the contract's operations, as rows. HEAD answers as GET does, without the body that has the code. */
function answersOf(document: OpenApiDocument): string[] {
  const operationObjects = Object.values(document.paths).flatMap(({ parameters: _, head: __, ...item }) =>
    Object.values(item),
  );
  return operationObjects.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, each]) => {
      const response =
        '$ref' in each ? document.components.responses[each.$ref.split('/').at(-1) ?? ''] : each;
      const codes = codesOf(response);
      return codes.length === 0 ? [status] : codes.map((code) => `${status} ${code}`);
    }),
  );
}

/** The codes of a problem stand as the names of its examples; that of 412 has one code, and one example of each resource. */
function codesOf(response: ResponseObject | undefined): string[] {
  return Object.values(response?.content ?? {}).flatMap(({ examples, example }) => {
    const { code } = (typeof example === 'object' ? example : {}) as { code?: string };
    return [...Object.keys(examples ?? {}), ...(code === undefined ? [] : [code])];
  });
}

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
/** Sent before an operation is found: by the router, and by the server itself. */
const besides = ['405 method_not_allowed', '406 not_acceptable', '408', '505'];

describe('the page of status codes', () => {
  const listed = [...rowsOf(specified), ...rowsOf(beyond)];

  test('has the statuses of the specification first, in its order', () => {
    expect(statusesOf(rowsOf(specified)).map((status) => status.replace(/^5../, '5xx'))).toEqual([
      ...['200', '201', '400', '401', '403', '404', '421'],
      ...['5xx', '5xx', '5xx'],
    ]);
  });

  test('has the thirteen beyond it', () => {
    expect(statusesOf(rowsOf(beyond))).toHaveLength(13);
  });

  test('lists what the operations of the contract send, and nothing else', () => {
    const sent = new Set([...answersOf(createDocument(operations, options)), ...besides]);
    expect([...sent].sort()).toEqual([...listed].sort());
  });

  test('has every code of the catalogue under its status', () => {
    const codes = Object.entries(catalogue).map(([code, { status }]) => `${status} ${code}`);
    expect(codes.filter((each) => !listed.includes(each))).toEqual([]);
  });
});
