import { readFileSync } from 'node:fs';
import { catalogue } from '@keydesk/server';
import { describe, expect, test } from 'vitest';
import { createDocument } from './openapi/create-document.ts';
import type { OpenApiDocument, ResponseObject } from './openapi/document.ts';
import { operations } from './operations.ts';

const page = readFileSync(new URL('../../../../docs/status-codes.md', import.meta.url), 'utf8');
const [, specified = '', beyond = ''] = page.split(/^## .*$/m);

/** Returns the rows of a table as `404 not_found`, or only the status if it has no code. */
function rowsOf(section: string): string[] {
  return [...section.matchAll(/^\| (\d{3}) \| (?:`(\w+)`)? ?\| \S/gm)].map(([, status, code]) =>
    code === undefined ? String(status) : `${status} ${code}`,
  );
}

const statusesOf = (rows: readonly string[]) => [...new Set(rows.map((row) => row.slice(0, 3)))];

/** Returns statuses and codes of all operations, as rows. HEAD is skipped: it has the statuses of GET and no body. */
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

/** Returns the codes of a problem response: the names of its examples, or the code of its only example for 412. */
function codesOf(response: ResponseObject | undefined): string[] {
  return Object.values(response?.content ?? {}).flatMap(({ examples, example }) => {
    const { code } = (typeof example === 'object' ? example : {}) as { code?: string };
    return [...Object.keys(examples ?? {}), ...(code === undefined ? [] : [code])];
  });
}

const options = { baseUrl: 'https://api.example', issuer: 'https://auth.example', rateLimitStatus: 421 };
/** Responses sent before an operation is matched: by the router, and by the server itself. */
const otherAnswers = ['405 method_not_allowed', '406 not_acceptable', '408', '505'];

describe('docs/status-codes.md', () => {
  const listed = [...rowsOf(specified), ...rowsOf(beyond)];

  test('lists the statuses of the specification first, in its order', () => {
    expect(statusesOf(rowsOf(specified)).map((status) => status.replace(/^5../, '5xx'))).toEqual([
      ...['200', '201', '400', '401', '403', '404', '421'],
      ...['5xx', '5xx', '5xx'],
    ]);
  });

  test('lists thirteen further statuses', () => {
    expect(statusesOf(rowsOf(beyond))).toHaveLength(13);
  });

  test('lists exactly the statuses and codes that operations return', () => {
    const sent = new Set([...answersOf(createDocument(operations, options)), ...otherAnswers]);
    expect([...sent].sort()).toEqual([...listed].sort());
  });

  test('lists every code of the catalogue with its status', () => {
    const codes = Object.entries(catalogue).map(([code, { status }]) => `${status} ${code}`);
    expect(codes.filter((each) => !listed.includes(each))).toEqual([]);
  });
});
