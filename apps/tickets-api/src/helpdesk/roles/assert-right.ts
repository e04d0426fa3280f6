import { AppError, type FieldError } from '@keydesk/errors';
import type { Viewer } from '../people/viewer.ts';
import { optionalRights, type Right } from './right.ts';

/** Rejects a viewer whose role lacks a right. @throws {AppError} `forbidden`, naming the right */
export function assertRight(viewer: Pick<Viewer, 'role' | 'rights'>, right: Right, hint = ''): void {
  if (!viewer.rights[right])
    throw new AppError('forbidden', explain(viewer, right) + hint, withRights([right]));
}

/** Returns the error of a field that requires a right. */
export function toMissingRight(field: string, right: Right): FieldError {
  return { field, code: 'forbidden', message: `needs the right ${right}` };
}

/** Returns options of an error, with the rights as a member of the problem. */
export function withRights(rights: readonly Right[]): { extensions?: { missing_rights: readonly Right[] } } {
  return rights.length > 0 ? { extensions: { missing_rights: rights } } : {};
}

function explain({ role }: Pick<Viewer, 'role'>, right: Right): string {
  const isOptional = optionalRights[role].includes(right);
  const grant = isOptional ? `; an administrator can grant it at /role/${role}` : '';
  return `This needs the right ${right}, which your role, ${role}, does not have${grant}.`;
}
