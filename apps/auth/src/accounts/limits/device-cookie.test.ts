import { describe, expect, it } from 'vitest';
import { createDeviceCookies } from './device-cookie.ts';

const ann = 'ann@example.org';
const bob = 'bob@example.org';

describe('a device cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies")', () => {
  const cookies = createDeviceCookies(Buffer.alloc(32, 1));

  it('distinguishes devices that have signed in to an account', () => {
    const [one, other] = [cookies.remember(undefined, ann), cookies.remember(undefined, ann)];
    expect(cookies.findDevice(one, ann)).toBeDefined();
    expect(cookies.findDevice(other, ann)).toBeDefined();
    expect(cookies.findDevice(one, ann)).not.toBe(cookies.findDevice(other, ann));
  });

  it('identifies the same device after another sign-in', () => {
    const first = cookies.remember(undefined, ann);
    const second = cookies.remember(first, ann);
    expect(cookies.findDevice(second, ann)).toBe(cookies.findDevice(first, ann));
  });

  it('is invalid for another account', () => {
    expect(cookies.findDevice(cookies.remember(undefined, ann), bob)).toBeUndefined();
  });

  it('lists the latest four accounts of a browser', () => {
    const emails = Array.from({ length: 5 }, (_, i) => `${i}@example.org`);
    const cookie = emails.reduce<string | undefined>(cookies.remember, undefined);
    expect(emails.map((email) => cookies.findDevice(cookie, email) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    // Needs no escaping in a cookie (RFC 6265 §4.1.1).
    expect(cookie).toMatch(/^[\w.~-]{1,512}$/);
  });

  it('keeps the other accounts when one of them signs in repeatedly', () => {
    const both = cookies.remember(cookies.remember(undefined, bob), ann);
    const cookie = Array.from({ length: 5 }).reduce<string>((last) => cookies.remember(last, ann), both);
    expect(cookies.findDevice(cookie, bob)).toBe(cookies.findDevice(both, bob));
    expect(cookies.findDevice(cookie, bob)).toBeDefined();
  });

  it('cannot be forged, changed or used on another server', () => {
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
    for (const each of forged) expect(cookies.findDevice(each, ann)).toBeUndefined();
  });

  it('reveals nothing about the account', () => {
    expect(cookies.remember(undefined, ann)).not.toContain('ann');
  });
});
