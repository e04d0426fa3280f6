import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { accepted, invalidProof, startDpopWorld } from './dpop-world.fixture.ts';
import { createTargetUriBuilder } from './target-uri.ts';

const world = useStarted(startDpopWorld);

const path = '/Ticket/a%2Fb~c.json';
const provenAs = (htu: unknown, sent = {}) => world.prove({ claims: { htu } }, { path, ...sent });

describe('the URI in a proof (RFC 9449 §4.3 no. 9)', () => {
  it.each([
    `https://api.example${path}`,
    `HTTPS://API.Example${path}`,
    `https://api.example:443${path}`,
    'https://api.example/Ticket/a%2fb~c.json',
    'https://api.example/%54icket/a%2Fb%7Ec%2ejson',
    'https://api.example/x/../Ticket/./a%2Fb~c.json',
    `https://api.example${path}?query=ignored`,
    `https://api.example${path}#fragment`,
    `https://api.example${path}?#`,
  ])('may be written as %s (RFC 3986 §6.2.2, §6.2.3)', async (htu) => {
    expect(await provenAs(htu)).toMatchObject(accepted);
  });

  it.each([
    `http://api.example${path}`,
    `https://api.example:8443${path}`,
    `https://other.example${path}`,
    `https://api.example.attacker.example${path}`,
    `https://user@api.example${path}`,
    `https://user:password@api.example${path}`,
    'https://api.example/Ticket',
    'https://api.example/',
    'https://api.example',
    `https://api.example${path}/`,
    `https://api.example/${path}`,
    'https://api.example/ticket/a%2Fb~c.json',
    'https://api.example/Ticket/a/b~c.json',
    'https://api.example/Ticket/a%252Fb~c.json',
    'https://api.example/Ticket/a%2Fb~c',
    'https://api.example\\Ticket\\a%2Fb~c.json',
    ` https://api.example${path}`,
    `https://api.example/Ticket/a%2F\tb~c.json`,
    path,
    `//api.example${path}`,
    'https://',
    'urn:api.example',
    '',
  ])('cannot be %s', async (htu) => {
    expect(await provenAs(htu)).toMatchObject(invalidProof);
  });

  it('is independent of the query and of middleware that rewrites the path', async () => {
    const sent = { path: '/ticket/1.json?a=b&c=//d' };
    expect(await world.prove({}, sent)).toMatchObject(accepted);
    expect(await world.prove({ claims: { htu: 'https://api.example/ticket/1' } }, sent)).toMatchObject(
      invalidProof,
    );
  });

  it('is independent of Host and forwarding headers', async () => {
    const forged = {
      Host: 'attacker.example',
      'X-Forwarded-Host': 'attacker.example',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=attacker.example;proto=http',
    };
    expect(await provenAs(`https://api.example${path}`, { headers: forged })).toMatchObject(accepted);
    for (const host of ['https://attacker.example', 'http://attacker.example', world.server.url])
      expect(await provenAs(`${host}${path}`, { headers: forged })).toMatchObject(invalidProof);
  });

  it('is that of the resource for an absolute request-target, too (RFC 9112 §3.2.2)', async () => {
    const sent = { path: `http://attacker.example${path}` };
    expect(await provenAs(`https://api.example${path}`, sent)).toMatchObject(accepted);
    expect(await provenAs(`http://attacker.example${path}`, sent)).toMatchObject(invalidProof);
  });

  it('stays on the host of the resource for any request path', async () => {
    for (const target of ['//attacker.example/', '/\\attacker.example/', '*']) {
      const answer = await provenAs('https://attacker.example/', { path: target, method: 'OPTIONS' });
      expect(answer).toMatchObject(invalidProof);
    }
  });
});

describe('the public URL of a resource', () => {
  it.each([
    ['https://api.example/v1', '/tickets', 'https://api.example/v1/tickets'],
    ['https://api.example/v1/', '/tickets?a', 'https://api.example/v1/tickets'],
    ['HTTP://API.example:80', '/', 'http://api.example/'],
    ['http://[::1]:3001', '/%7e', 'http://[::1]:3001/~'],
    ['https://api.example', '//other.example', 'https://api.example//other.example'],
    ['https://api.example', '@other.example', 'https://api.example/@other.example'],
    ['https://api.example', ':8443/', 'https://api.example/:8443/'],
    ['https://api.example', 'http://other.example', 'https://api.example/'],
  ])('%s and the request-target %s give the URI %s', (baseUrl, requestTarget, uri) => {
    expect(createTargetUriBuilder(baseUrl)(requestTarget)).toBe(uri);
  });

  it.each(['', 'api', '/v1', 'urn:api', 'ftp://api.example', 'https://'])('cannot be %j', (baseUrl) => {
    expect(() => createTargetUriBuilder(baseUrl)).toThrow(TypeError);
  });
});
