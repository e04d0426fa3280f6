import { describe, expect, test } from 'vitest';
import { createDocument } from '../openapi/create-document.ts';
import { operations } from '../operations.ts';
import { type ContractAnswer, createContractCheck } from './contract-check.fixture.ts';

const document = createDocument(operations, {
  baseUrl: 'https://api.example',
  issuer: 'https://auth.example',
  rateLimitStatus: 421,
});
const check = createContractCheck(document);

const fetched = document.paths['/ticket/{ticket_id}.{format}']?.get?.responses[200];
const content = fetched && 'content' in fetched ? fetched.content : undefined;
const ticket = content?.['application/json']?.example as Record<string, unknown>;
const xml = String(content?.['application/xml']?.example);
const problem = document.components.responses.not_found?.content?.['application/problem+json']?.examples
  ?.not_found?.value as Record<string, unknown>;

const path = `/ticket/${ticket.id}.json`;

function answer(body: unknown, headers: Record<string, string> = {}, status = 200): ContractAnswer {
  const all = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': 'request-1',
    'API-Version': '1.0.0',
    ETag: '"1-json"',
    'Cache-Control': 'private, no-cache',
    ...headers,
  };
  return {
    status,
    headers: new Headers(Object.entries(all).filter(([, value]) => value !== '')),
    text: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

function answerProblem(body: unknown, status = 404): ContractAnswer {
  return answer(body, { 'Content-Type': 'application/problem+json', ETag: '' }, status);
}

const xmlType = { 'Content-Type': 'application/xml; charset=utf-8' };

describe('the contract check', () => {
  test('accepts documented responses', () => {
    check('GET', path, answer(ticket));
    check('GET', `/ticket/${ticket.id}.xml`, answer(xml, xmlType));
    check('GET', path, answerProblem(problem));
    check('GET', path, answer('', { 'Content-Type': '' }, 304));
    check('GET', '/healthz', answer('{}'));
  });

  test.each<[string, ContractAnswer]>([
    ['a status that is not documented', answer(ticket, {}, 202)],
    ['a media type that is not documented', answer(ticket, { 'Content-Type': 'text/html' })],
    ['a body where none is documented', answer(ticket, {}, 304)],
    ['a header that is not documented', answer(ticket, { 'X-Secret': '1' })],
    ['a header that is missing', answer(ticket, { ETag: '' })],
    ['a header that is not as documented', answer(ticket, { ETag: 'W/"1"' })],
    ['a member that is missing', answer({ ...ticket, id: undefined })],
    ['a member that is not documented', answer({ ...ticket, password: 'x' })],
    [
      'a member of an inner object that is not documented',
      answer({ ...ticket, requester: { email: 'a@b.cd', name: null, phone: '1' } }),
    ],
    ['a value of another type', answer({ ...ticket, version: '1' })],
    ['an undocumented value of an enumeration', answer({ ...ticket, status_category: 'lost' })],
    ['null for a member that is not nullable', answer({ ...ticket, subject: null })],
    ['a problem of another status', answerProblem({ ...problem, code: 'conflict' })],
    ['XML with another root', answer(xml.replaceAll('ticket>', 'ticke>'), xmlType)],
    [
      'XML with an element that is not documented',
      answer(xml.replace('<version>', '<secret/><version>'), xmlType),
    ],
    ['XML with an element that is missing', answer(xml.replace(/<id>.*?<\/id>/, ''), xmlType)],
    ['XML with other items', answer(xml.replaceAll('tag>', 'label>'), xmlType)],
  ])('rejects %s', (_, invalid) => {
    expect(() => check('GET', path, invalid)).toThrow();
  });

  test('rejects undocumented paths and methods unless the response is 404', () => {
    expect(() => check('GET', '/secrets.json', answer({}))).toThrow('the path is not documented');
    expect(() => check('POST', path, answer(ticket))).toThrow('the method is not documented');
    check('GET', '/secrets.json', answerProblem(problem));
  });

  test('rejects an Allow header that differs from the documented methods', () => {
    const notAllowed = (allow: string) => answer({}, { Allow: allow }, 405);
    check('POST', path, notAllowed('DELETE, GET, HEAD, OPTIONS, PATCH, PUT'));
    expect(() => check('POST', path, notAllowed('DELETE, GET, HEAD, OPTIONS, PUT'))).toThrow('PATCH');
  });
});
