import { lazyModule } from '@keydesk/server';

const deviceKinds = ['computer', 'phone', 'tablet', 'other'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** Browser and operating system of a device, by their usual names. */
export interface Device {
  browser?: string | undefined;
  system?: string | undefined;
  kind: DeviceKind;
}

/** Longer than any browser's; the rest of a longer one is ignored. */
const MAX_USER_AGENT_LENGTH = 300;

const loadBowser = lazyModule<typeof import('bowser')>('bowser', import.meta.url);

const kinds: Readonly<Record<string, DeviceKind>> = {
  desktop: 'computer',
  mobile: 'phone',
  tablet: 'tablet',
};

/**
 * Returns the device of a `User-Agent` (RFC 9110 §10.1.5). A client can send any text, so only names from the library's
 * lists pass: mails and pages show them.
 */
export function describeDevice(userAgent: string): Device {
  if (userAgent === '') return { kind: 'other' };
  const Bowser = loadBowser();
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, MAX_USER_AGENT_LENGTH));
  return {
    ...(isListed(browser.name, Bowser.BROWSER_MAP) && { browser: browser.name }),
    ...(isListed(os.name, Bowser.OS_MAP) && { system: os.name }),
    kind: kinds[platform.type ?? ''] ?? (os.name === 'Chrome OS' ? 'computer' : 'other'),
  };
}

function isListed(name: string | undefined, names: Readonly<Record<string, string>>): boolean {
  return Object.values(names).some((each) => each === name);
}
