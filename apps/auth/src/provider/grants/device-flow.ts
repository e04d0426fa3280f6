import type { Configuration } from 'oidc-provider';
import type { DevicePages } from '../provider-pages.ts';
import { originOfDevice } from './device-origin.ts';

/**
 * Settings of the device authorization grant (RFC 8628). A user code has eight letters that are hard to confuse and
 * form no words (§6.1). Against its 34 bits an attacker gets a few guesses per lifetime (`limitUserCodes`).
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
