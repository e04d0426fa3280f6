import type { Context } from 'koa';
import { type Configuration, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { DeviceConfirmView } from '../../pages/views/consent.ts';
import type { DevicePages } from '../provider-pages.ts';

/** Network origin of a device authorization request, stored with its code. */
export interface DeviceOrigin {
  [member: string]: unknown;
  address: string;
  userAgent: string;
  /** Milliseconds since the epoch. */
  at: number;
}

const MAX_USER_AGENT_LENGTH = 200;

function originOfDevice(ctx: Context, at: Date): DeviceOrigin {
  return {
    address: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, MAX_USER_AGENT_LENGTH),
    at: at.getTime(),
  };
}

export function readDeviceOrigin({ address, userAgent, at }: DeviceOrigin): DeviceConfirmView['from'] {
  return { address, device: userAgent || undefined, at: new Date(at) };
}

/**
 * Settings of the device authorization grant (RFC 8628). A user code has eight letters that are hard to confuse and
 * form no words (§6.1). Against its 34 bits an attacker gets a few guesses per lifetime (`limitUserCodes`).
 */
export function createDeviceFlow({ pages, now }: { pages: DevicePages; now: () => Date }) {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    deviceInfo(ctx) {
      keepMaxAgeZero(ctx);
      return originOfDevice(ctx, now());
    },
    userCodeInputSource: pages.renderCodeInput,
    userCodeConfirmSource: pages.renderConfirmation,
    successSource: pages.renderConnected,
  } satisfies NonNullable<Configuration['features']>['deviceFlow'];
}

/**
 * Keeps `max_age=0` of a device authorization request. oidc-provider replaces it with the equivalent `prompt=login`
 * (OpenID Connect Core §3.1.2.1), which it ignores when the user enters the code. It stores the parameters right after
 * `deviceInfo`.
 */
function keepMaxAgeZero({ oidc: { params, prompts } }: KoaContextWithOIDC): void {
  if (params && prompts.has('login')) params.max_age = '0';
}

const { Check } = interactionPolicy;

/**
 * Creates the check that a device authorization request with `max_age=0` leads to a new sign-in, even right after a
 * previous one.
 */
export function createMaxAgeZeroCheck(): interactionPolicy.Check {
  return new Check('max_age_zero', 'End-User authentication is required', 'login_required', ({ oidc }) =>
    oidc.params?.max_age === '0' && !oidc.result?.login ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
}
