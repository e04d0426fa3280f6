import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Issues and verifies cookies that identify browsers in which a user has signed in. Guesses from other browsers do not
 * use up the attempts of such a device (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The cookie is
 * not a credential: it only gives the device its own limit. The server stores nothing about it.
 */
export interface DeviceCookies {
  /** Returns the device if it has signed in to the account of that address before. */
  findDevice(cookie: string | undefined, email: string): string | undefined;
  /** Returns the new cookie of a device that has just signed in. It lists the last few accounts used on the device. */
  remember(cookie: string | undefined, email: string): string;
}

const DEVICE_BYTES = 16;
/** Maximum number of accounts in one cookie. */
const MAX_ACCOUNTS = 4;
const MAX_COOKIE_LENGTH = 512;
const SEPARATOR = '~';

/** @param key 32 bytes from `deriveKey`; another key invalidates all cookies */
export function createDeviceCookies(key: Uint8Array): DeviceCookies {
  const computeMac = (device: string, email: string) =>
    createHmac('sha256', key).update(`${device}\n${email}`).digest('base64url');

  function isFor(entry: string, email: string): boolean {
    const [device = '', mac = ''] = entry.split('.');
    const expected = Buffer.from(computeMac(device, email));
    const presented = Buffer.from(mac);
    return expected.length === presented.length && timingSafeEqual(expected, presented);
  }

  const findEntry = (cookie: string | undefined, email: string) =>
    parseEntries(cookie).find((entry) => isFor(entry, email));

  return {
    findDevice: (cookie, email) => findEntry(cookie, email)?.split('.')[0],
    remember(cookie, email) {
      const device = randomBytes(DEVICE_BYTES).toString('base64url');
      const entry = findEntry(cookie, email) ?? `${device}.${computeMac(device, email)}`;
      const others = parseEntries(cookie).filter((other) => other !== entry);
      return [entry, ...others].slice(0, MAX_ACCOUNTS).join(SEPARATOR);
    },
  };
}

function parseEntries(cookie = ''): string[] {
  if (cookie.length > MAX_COOKIE_LENGTH) return [];
  return cookie.split(SEPARATOR).filter((entry) => /^[\w-]{22}\.[\w-]{43}$/.test(entry));
}
