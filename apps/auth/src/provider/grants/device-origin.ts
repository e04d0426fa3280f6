import type { Context } from 'koa';
import type { DeviceConfirmView } from '../../pages/views/consent.ts';

/** Network origin of a device authorization request, stored with its code. */
export interface DeviceOrigin {
  [member: string]: unknown;
  address: string;
  userAgent: string;
  /** Milliseconds since the epoch. */
  at: number;
}

const MAX_USER_AGENT_LENGTH = 200;

export function originOfDevice(ctx: Context, clock: () => number): DeviceOrigin {
  return {
    address: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, MAX_USER_AGENT_LENGTH),
    at: clock(),
  };
}

export function readDeviceOrigin({ address, userAgent, at }: DeviceOrigin): DeviceConfirmView['from'] {
  return { address, device: userAgent || undefined, at: new Date(at) };
}
