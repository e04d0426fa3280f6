import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { chooseFormat } from './format.ts';

/** Creates a Koa context for a path, with an optional `Accept` header. */
function request(path: string, accept?: string) {
  const app = new Koa();
  const headers = accept === undefined ? {} : { accept };
  const req = { url: path, method: 'GET', headers, socket: {} };
  return app.createContext(req as never, { getHeader: () => undefined } as never);
}

describe('format of a response', () => {
  it.each([
    ['/tickets.json', 'json', '/tickets'],
    ['/tickets.xml', 'xml', '/tickets'],
    ['/ticket/019a.xml', 'xml', '/ticket/019a'],
  ])('is selected by the suffix, whatever Accept says: %s', (path, format, rest) => {
    const accept = format === 'json' ? 'application/xml' : 'application/json';
    expect(chooseFormat(request(path, accept))).toEqual({ format, path: rest });
  });

  it.each(['/tickets.csv', '/tickets.', '/tickets.JSON', '/tickets.json.html', '/ticket/a.b'])(
    'is 404 for an unknown suffix: %s',
    (path) => {
      expect(() => chooseFormat(request(path))).toThrow(expect.objectContaining({ code: 'not_found' }));
    },
  );

  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['application/json', 'json'],
    ['application/xml', 'xml'],
    ['text/xml', 'xml'],
    ['application/json; charset=utf-8', 'json'],
    ['application/xml;charset=UTF-8', 'xml'],
    ['application/json; charset=utf-8; q=0.5, text/xml; charset=utf-8', 'xml'],
    ['application/json;q=0.5, application/xml', 'xml'],
    ['text/html, application/xml;q=0.9, application/json', 'json'],
  ])('is selected by Accept without a suffix (RFC 9110 §12.5.1): %s', (accept, format) => {
    expect(chooseFormat(request('/tickets', accept))).toEqual({ format, path: '/tickets' });
  });

  it.each(['text/html', 'application/json;q=0', 'image/*', 'application/json; charset=latin1', 'nonsense'])(
    'is 406 if Accept allows no supported type: %s',
    (accept) => {
      expect(() => chooseFormat(request('/tickets', accept))).toThrow(
        expect.objectContaining({ code: 'not_acceptable' }),
      );
    },
  );

  it('ignores dots before the last segment', () => {
    expect(chooseFormat(request('/.well-known/x')).path).toBe('/.well-known/x');
  });
});
