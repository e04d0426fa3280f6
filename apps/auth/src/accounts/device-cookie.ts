import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Lets the browser of somebody who has signed in be told from everybody else's, so that guesses made elsewhere do not
 * use up its attempts (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The cookie opens nothing: it
 * only buys attempts of one's own, and the server keeps nothing about it.
 */
export interface DeviceCookies {
  /** The device, when it has signed in to the account of that address before. */
  deviceOf(cookie: string | undefined, email: string): string | undefined;
  /** The cookie of a device that has just signed in; it knows the last few accounts that were used there. */
  remember(cookie: string | undefined, email: string): string;
}

const DEVICE_BYTES = 16;
/** How many accounts of one browser are known. */
const MAX_ACCOUNTS = 4;
const MAX_COOKIE_LENGTH = 512;
const SEPARATOR = '~';

/** @param key 32 bytes, as `deriveKey` gives them; a device is known as long as it stays the same */
export function createDeviceCookies(key: Uint8Array): DeviceCookies {
  const macOf = (device: string, email: string) =>
    createHmac('sha256', key).update(`${device}\n${email}`).digest('base64url');

  function isFor(entry: string, email: string): boolean {
    const [device = '', mac = ''] = entry.split('.');
    const expected = Buffer.from(macOf(device, email));
    const presented = Buffer.from(mac);
    return expected.length === presented.length && timingSafeEqual(expected, presented);
  }

  const entryOf = (cookie: string | undefined, email: string) =>
    entriesOf(cookie).find((entry) => isFor(entry, email));

  return {
    deviceOf: (cookie, email) => entryOf(cookie, email)?.split('.')[0],
    remember(cookie, email) {
      const device = randomBytes(DEVICE_BYTES).toString('base64url');
      const entry = entryOf(cookie, email) ?? `${device}.${macOf(device, email)}`;
      const others = entriesOf(cookie).filter((other) => other !== entry);
      return [entry, ...others].slice(0, MAX_ACCOUNTS).join(SEPARATOR);
    },
  };
}

function entriesOf(cookie = ''): string[] {
  if (cookie.length > MAX_COOKIE_LENGTH) return [];
  return cookie.split(SEPARATOR).filter((entry) => /^[\w-]{22}\.[\w-]{43}$/.test(entry));
}
