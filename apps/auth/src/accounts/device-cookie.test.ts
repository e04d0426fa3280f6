import { describe, expect, it } from 'vitest';
import { createDeviceCookies } from './device-cookie.ts';

const ann = 'ann@example.org';
const bob = 'bob@example.org';

describe('a device cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies")', () => {
  const cookies = createDeviceCookies(Buffer.alloc(32, 1));

  it('tells a device that has signed in to an account from every other', () => {
    const [one, other] = [cookies.remember(undefined, ann), cookies.remember(undefined, ann)];
    expect(cookies.deviceOf(one, ann)).toBeDefined();
    expect(cookies.deviceOf(other, ann)).toBeDefined();
    expect(cookies.deviceOf(one, ann)).not.toBe(cookies.deviceOf(other, ann));
  });

  it('stays the same device when it signs in again', () => {
    const first = cookies.remember(undefined, ann);
    const second = cookies.remember(first, ann);
    expect(cookies.deviceOf(second, ann)).toBe(cookies.deviceOf(first, ann));
  });

  it('is worth nothing for another account', () => {
    expect(cookies.deviceOf(cookies.remember(undefined, ann), bob)).toBeUndefined();
  });

  it('knows several accounts of one browser, the latest four', () => {
    const emails = Array.from({ length: 5 }, (_, i) => `${i}@example.org`);
    const cookie = emails.reduce<string | undefined>(cookies.remember, undefined);
    expect(emails.map((email) => cookies.deviceOf(cookie, email) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    // Goes into a cookie as it is (RFC 6265 §4.1.1).
    expect(cookie).toMatch(/^[\w.~-]{1,512}$/);
  });

  it('still knows the other accounts when one of them signs in again and again', () => {
    const both = cookies.remember(cookies.remember(undefined, bob), ann);
    const cookie = Array.from({ length: 5 }).reduce<string>((last) => cookies.remember(last, ann), both);
    expect(cookies.deviceOf(cookie, bob)).toBe(cookies.deviceOf(both, bob));
    expect(cookies.deviceOf(cookie, bob)).toBeDefined();
  });

  it('cannot be made, changed or carried over to another server', () => {
    const cookie = cookies.remember(undefined, ann);
    const elsewhere = createDeviceCookies(Buffer.alloc(32, 2));
    const [device = '', mac = ''] = cookie.split('.');
    const forged = [
      undefined,
      '',
      device,
      `${device}.`,
      `${device}.${mac.slice(0, -1)}`,
      `${device}.${'A'.repeat(43)}`,
      `${'A'.repeat(22)}.${mac}`,
      `${cookie}~`.repeat(1_000),
      elsewhere.remember(undefined, ann),
    ];
    for (const each of forged) expect(cookies.deviceOf(each, ann)).toBeUndefined();
  });

  it('says nothing about the account', () => {
    expect(cookies.remember(undefined, ann)).not.toContain('ann');
  });
});
