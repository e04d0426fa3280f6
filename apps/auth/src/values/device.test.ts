import { describe, expect, it } from 'vitest';
import { describeDevice } from './device.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const blink = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the device of a User-Agent', () => {
  it.each([
    [
      'Firefox',
      'Windows',
      'computer',
      '(Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
    ],
    ['Chrome', 'Linux', 'computer', `(X11; Linux x86_64) ${blink} Chrome/142.0.0.0 Safari/537.36`],
    [
      'Microsoft Edge',
      'Windows',
      'computer',
      `(Windows NT 10.0; Win64; x64) ${blink} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    ],
    [
      'Safari',
      'macOS',
      'computer',
      `(Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/26.0 Safari/605.1.15`,
    ],
    [
      'Chrome',
      'Chrome OS',
      'computer',
      `(X11; CrOS x86_64 14541.0.0) ${blink} Chrome/142.0.0.0 Safari/537.36`,
    ],
    [
      'Safari',
      'iOS',
      'phone',
      `(iPhone; CPU iPhone OS 18_6 like Mac OS X) ${webKit} Version/26.0 Mobile/15E148 Safari/604.1`,
    ],
    ['Chrome', 'Android', 'phone', `(Linux; Android 10; K) ${blink} Chrome/142.0.0.0 Mobile Safari/537.36`],
    [
      'Safari',
      'iOS',
      'tablet',
      `(iPad; CPU OS 16_6 like Mac OS X) ${webKit} Version/16.6 Mobile/15E148 Safari/604.1`,
    ],
  ])('is %s on %s (%s)', (browser, system, kind, userAgent) => {
    expect(describeDevice(`Mozilla/5.0 ${userAgent}`)).toEqual({ browser, system, kind });
  });

  it.each(['', 'curl/8.5.0', 'Visit https://evil.example now/1.0 (x) ', '<b>/1 ', 'x'.repeat(100_000)])(
    'has no name that a client made up',
    (userAgent) => {
      expect(describeDevice(userAgent)).toEqual({ kind: 'other' });
    },
  );
});
