import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { chooseLanguage } from './language.ts';

function requestWith(acceptLanguage: string | undefined): Koa.Context {
  const request = new IncomingMessage(new Socket());
  if (acceptLanguage !== undefined) request.headers['accept-language'] = acceptLanguage;
  return new Koa().createContext(request, new ServerResponse(request));
}

describe('the language of a page', () => {
  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['tlh, en;q=0.3, de;q=0.7', 'de'],
    ['en;q=0.8, de;q=0.9', 'de'],
    ['DE-ch', 'de'],
    ['en, de', 'en'],
    ['tlh, *;q=0.5', 'en'],
    ['de;q=0', 'en'],
    ['de;q=x, en;q=0.1', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('follows the browser that sends %j (RFC 9110 §12.5.4)', (acceptLanguage, expected) => {
    expect(chooseLanguage(requestWith(acceptLanguage))).toBe(expected);
  });

  it.each([
    ['de en', 'de'],
    ['tlh de-DE', 'de'],
    ['en', 'en'],
    ['tlh', 'de'],
    ['', 'de'],
  ])(
    'is %j as requested by the application, rather than by the browser (OpenID Connect Core §3.1.2.1)',
    (uiLocales, expected) => {
      expect(chooseLanguage(requestWith('de'), uiLocales)).toBe(expected);
    },
  );
});
