import type { AccessToken } from '@keydesk/access-token';
import { AppError } from '@keydesk/http';
import type { Middleware } from 'koa';
import type { Recognise } from './people/recognise.ts';
import { toViewer, type Viewer } from './people/viewer.ts';

/** The scopes of this API (RFC 6749 §3.3) and what each lets a client do. */
export const scopes = {
  read: 'tickets:read',
  write: 'tickets:write',
  delete: 'tickets:delete',
} as const;

/** The scopes that any application may request; the others wait for an administrator's verification of it. */
export const openScopes = [scopes.read, scopes.write] as const;

/**
 * Sets `ctx.state.viewer`: whose tickets they may see and what they may do with them follows from the role that an
 * administrator gave them. Whoever has none, as machine clients have by themselves, may do nothing.
 */
export function identifyViewer({ recognise }: { recognise: Recognise }): Middleware {
  // A token that was verified before is the same object, and stands for the same viewer.
  const known = new WeakMap<AccessToken, Viewer>();

  function find(token: AccessToken): Viewer | undefined {
    const remembered = known.get(token);
    if (remembered) return remembered;
    const viewer = toViewer(token);
    if (viewer) known.set(token, viewer);
    return viewer;
  }

  return async function identifyViewerOfToken(ctx, next) {
    const viewer = find(ctx.state.caller as AccessToken);
    if (!viewer) {
      throw new AppError(
        'forbidden',
        'The role customer, agent or admin is needed; an administrator can grant it.',
      );
    }
    ctx.state.viewer = await recognise(viewer);
    await next();
  };
}
