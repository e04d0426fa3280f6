import { AppError, type FieldError } from '@keydesk/http';
import type { Viewer } from '../people/viewer.ts';
import { optionalRights, type Right } from './right.ts';

/** @throws {AppError} `forbidden`, naming the right, unless the role of the viewer has it */
export function assertRight(viewer: Pick<Viewer, 'role' | 'rights'>, right: Right, hint = ''): void {
  if (!viewer.rights[right])
    throw new AppError('forbidden', explain(viewer, right) + hint, withRights([right]));
}

/** Fault of a field that only a right allows to set. */
export function toMissingRight(field: string, right: Right): FieldError {
  return { field, code: 'forbidden', message: `needs the right ${right}` };
}

/** Options of an error: the rights as a member of the problem. */
export function withRights(rights: readonly Right[]): { extensions?: { missing_rights: readonly Right[] } } {
  return rights.length > 0 ? { extensions: { missing_rights: rights } } : {};
}

function explain({ role }: Pick<Viewer, 'role'>, right: Right): string {
  const isOptional = optionalRights[role].includes(right);
  const grant = isOptional ? `; an administrator can grant it at /role/${role}` : '';
  return `This needs the right ${right}, which your role, ${role}, does not have${grant}.`;
}
