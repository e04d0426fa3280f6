import type { Configuration } from 'oidc-provider';
import { originOfDevice } from './device-origin.ts';
import type { DevicePages } from './device-pages.ts';

/**
 * The device authorization grant (RFC 8628). A user code has eight letters that are hard to confuse and make no words
 * (§6.1): 34 bits, of which somebody who guesses gets a few tries in its life (`limitUserCodes`).
 */
export function createDeviceFlow(pages: DevicePages) {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: (ctx) => originOfDevice(ctx, Date.now),
    userCodeInputSource: pages.renderCodeInput,
    userCodeConfirmSource: pages.renderConfirmation,
    successSource: pages.renderConnected,
  } satisfies NonNullable<Configuration['features']>['deviceFlow'];
}
