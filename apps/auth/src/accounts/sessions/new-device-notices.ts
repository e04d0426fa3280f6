import type { RateLimiter } from '@keydesk/rate-limit';
import type { Device } from '../../values/device.ts';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import type { AccountLinks, AccountOperations } from '../account/account-operations.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import type { DeviceCookies } from '../limits/device-cookie.ts';

export interface NewDeviceNoticesOptions {
  operations: AccountOperations;
  links: Pick<AccountLinks, 'disownSignIn'>;
  background: Pick<BackgroundTasks, 'run'>;
  /** Keyed by the account. Apart from other mails, so that requesting those does not suppress this one. */
  signInMails: Pick<RateLimiter, 'consume'>;
  linkTtlSeconds: { disown_sign_in: number };
  deviceCookies: Pick<DeviceCookies, 'isKnown' | 'remember'>;
  now: () => Date;
}

/** The device of a sign-in. */
export interface SignInDevice {
  device: Device;
  /** Device cookie of an earlier sign-in in this browser. */
  deviceCookie: string | undefined;
  /** Language of the browser, if the account has none of its own. */
  locale?: string | undefined;
}

/** Mails about sign-ins from new devices (OWASP ASVS 5.0 §6.3.5). */
export interface NewDeviceNotices {
  /**
   * Mails the owner in the background if the device is new, or was last used before all sign-ins ended. Only to a
   * verified address: the first sign-in after sign-up comes before the verification, and an unverified address may belong
   * to another person.
   */
  notifyOfNewDevice(account: Account, signIn: SignInDevice, origin: Origin): void;
  /** Returns the device cookie of a browser in which the user has just signed in. */
  rememberDevice(account: Account, deviceCookie: string | undefined): string;
  /** Returns the device cookie of a browser that keeps its session while all others end, if the device was known. */
  keepDevice(before: Account, after: Account, deviceCookie: string | undefined): string | undefined;
}

export function createNewDeviceNotices(options: NewDeviceNoticesOptions): NewDeviceNotices {
  const { operations, links, background, signInMails, deviceCookies } = options;

  return {
    rememberDevice: (account, deviceCookie) => deviceCookies.remember(deviceCookie, account),
    keepDevice(before, account, deviceCookie) {
      const isKnown = deviceCookies.isKnown(deviceCookie, before);
      return isKnown ? deviceCookies.remember(deviceCookie, account) : undefined;
    },
    notifyOfNewDevice(account, { device, deviceCookie, locale }, { address }) {
      if (deviceCookies.isKnown(deviceCookie, account) || !account.emailVerified) return;
      const at = options.now();
      background.run(async () => {
        if (!(await signInMails.consume(account.id)).isAllowed) return;
        const token = await operations.issueToken('disown_sign_in', account.id, account.email, at);
        const { disown_sign_in: ttlSeconds } = options.linkTtlSeconds;
        const about = { device, address, at, locale };
        await operations.sendMail('new_device', account, {
          ...about,
          link: links.disownSignIn(token),
          ttlSeconds,
        });
      });
    },
  };
}
