import type { ParameterizedContext } from 'koa';
import type { Viewer } from '../people/viewer.ts';
import { isMatch } from './conditional-requests.ts';

/** Whoever the request is made for. A route that nothing stands before is our bug, and must fail rather than pass. */
export function getViewer({ state }: ParameterizedContext): Viewer {
  const { viewer } = state as { viewer?: Viewer };
  if (!viewer) throw new Error('No identifyViewer() stands before this route.');
  return viewer;
}

/**
 * A version in an entity tag. Staff and customers see different representations, which count their versions apart, so
 * the tag of the one is never taken for that of the other.
 */
export function toVersionTag(ctx: ParameterizedContext, version: number): string {
  return getViewer(ctx).isStaff ? String(version) : `c${version}`;
}

/** Whether `If-Match` allows a change of the version that the viewer sees. */
export function ifMatch(ctx: ParameterizedContext): (version: number) => boolean {
  return (version) => isMatch(ctx, toVersionTag(ctx, version));
}
