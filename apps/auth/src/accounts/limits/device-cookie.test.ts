import { describe, expect, it } from 'vitest';
import { createDeviceCookies } from './device-cookie.ts';

const ann = { email: 'ann@example.org', credentialEpoch: 0 };
const bob = { email: 'bob@example.org', credentialEpoch: 12 };

describe('a device cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies")', () => {
  const cookies = createDeviceCookies(Buffer.alloc(32, 1));

  it('distinguishes devices that have signed in to an account', () => {
    const [one, other] = [cookies.remember(undefined, ann), cookies.remember(undefined, ann)];
    expect(cookies.findDevice(one, ann.email)).toBeDefined();
    expect(cookies.findDevice(other, ann.email)).toBeDefined();
    expect(cookies.findDevice(one, ann.email)).not.toBe(cookies.findDevice(other, ann.email));
  });

  it('identifies the same device after another sign-in', () => {
    const first = cookies.remember(undefined, ann);
    const second = cookies.remember(first, ann);
    expect(cookies.findDevice(second, ann.email)).toBe(cookies.findDevice(first, ann.email));
  });

  it('is invalid for another account', () => {
    expect(cookies.findDevice(cookies.remember(undefined, ann), bob.email)).toBeUndefined();
  });

  it('lists the latest four accounts of a browser', () => {
    const owners = Array.from({ length: 5 }, (_, i) => ({ email: `${i}@example.org`, credentialEpoch: 9 }));
    const cookie = owners.reduce<string | undefined>(cookies.remember, undefined);
    expect(owners.map(({ email }) => cookies.findDevice(cookie, email) !== undefined)).toEqual([
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
    expect(cookies.findDevice(cookie, bob.email)).toBe(cookies.findDevice(both, bob.email));
    expect(cookies.findDevice(cookie, bob.email)).toBeDefined();
  });

  it('is known until all sign-ins of the account end, and again after the next sign-in', () => {
    const cookie = cookies.remember(undefined, ann);
    const later = { ...ann, credentialEpoch: 1 };
    expect(cookies.isKnown(cookie, ann)).toBe(true);
    expect(cookies.isKnown(cookie, later)).toBe(false);
    const renewed = cookies.remember(cookie, later);
    expect(cookies.isKnown(renewed, later)).toBe(true);
    expect(cookies.findDevice(renewed, ann.email)).toBe(cookies.findDevice(cookie, ann.email));
    expect(renewed.split('~')).toHaveLength(1);
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
      `${cookie}.0`,
      `${cookie}.1`,
      elsewhere.remember(undefined, ann),
    ];
    for (const each of forged) expect(cookies.findDevice(each, ann.email)).toBeUndefined();
  });

  it('reveals nothing about the account', () => {
    expect(cookies.remember(undefined, ann)).not.toContain('ann');
  });
});
