import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Account to which a user has signed in on a device. */
export interface DeviceOwner {
  email: string;
  /** Epoch at which the user signed in. */
  credentialEpoch: number;
}

/**
 * Issues and verifies cookies that identify browsers in which a user has signed in. Guesses from other browsers do not
 * use up the attempts of such a device (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The cookie is
 * not a credential: it only gives the device its own limit. The server stores nothing about it.
 */
export interface DeviceCookies {
  /** Returns the device if it has signed in to the account of that address before. */
  findDevice(cookie: string | undefined, email: string): string | undefined;
  /** Whether the user has signed in on the device since all sign-ins of the account last ended. */
  isKnown(cookie: string | undefined, owner: DeviceOwner): boolean;
  /** Returns the new cookie of a device that has just signed in. It lists the last few accounts used on the device. */
  remember(cookie: string | undefined, owner: DeviceOwner): string;
}

const DEVICE_BYTES = 16;
/** Maximum number of accounts in one cookie. */
const MAX_ACCOUNTS = 4;
const MAX_COOKIE_LENGTH = 512;
const SEPARATOR = '~';

/** @param key 32 bytes from `deriveKey`; another key invalidates all cookies */
export function createDeviceCookies(key: Uint8Array): DeviceCookies {
  /** Epoch 0 is omitted, as in cookies of version 0.9. */
  function createEntry(device: string, { email, credentialEpoch }: DeviceOwner): string {
    const epoch = credentialEpoch === 0 ? [] : [credentialEpoch];
    const mac = createHmac('sha256', key)
      .update([device, email, ...epoch].join('\n'))
      .digest('base64url');
    return [device, mac, ...epoch].join('.');
  }

  function findEntry(cookie: string | undefined, email: string): Entry | undefined {
    return parseEntries(cookie).find(({ device, credentialEpoch, text }) => {
      const expected = Buffer.from(createEntry(device, { email, credentialEpoch }));
      const presented = Buffer.from(text);
      return expected.length === presented.length && timingSafeEqual(expected, presented);
    });
  }

  return {
    findDevice: (cookie, email) => findEntry(cookie, email)?.device,
    isKnown: (cookie, { email, credentialEpoch }) =>
      findEntry(cookie, email)?.credentialEpoch === credentialEpoch,
    remember(cookie, owner) {
      const found = findEntry(cookie, owner.email);
      const device = found?.device ?? randomBytes(DEVICE_BYTES).toString('base64url');
      const others = parseEntries(cookie).map(({ text }) => text);
      const kept = others.filter((text) => text !== found?.text);
      return [createEntry(device, owner), ...kept].slice(0, MAX_ACCOUNTS).join(SEPARATOR);
    },
  };
}

/** Sign-in to an account in a device cookie; `text` is the whole entry. */
interface Entry {
  device: string;
  credentialEpoch: number;
  text: string;
}

function parseEntries(cookie = ''): Entry[] {
  if (cookie.length > MAX_COOKIE_LENGTH) return [];
  return cookie.split(SEPARATOR).flatMap((text) => {
    const [, device = '', epoch = '0'] = /^([\w-]{22})\.[\w-]{43}(?:\.(\d{1,9}))?$/.exec(text) ?? [];
    return device === '' ? [] : { device, credentialEpoch: Number(epoch), text };
  });
}
