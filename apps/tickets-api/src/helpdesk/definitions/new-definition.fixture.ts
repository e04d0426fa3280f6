import { randomUUID } from 'node:crypto';
import type { Definition } from './definition.ts';

/** Returns a definition with a unique id; a status has the category `pending`. */
export function newDefinition(members: Partial<Definition> = {}): Definition {
  const { kind = 'status' } = members;
  return {
    kind,
    id: `d_${randomUUID().replaceAll('-', '_')}`,
    title: 'Ünterneh 漢字 😀',
    titles: {},
    position: 0,
    hidden: false,
    category: kind === 'status' ? 'pending' : null,
    transitions: null,
    replaced_by: null,
    built_in: false,
    created_at: '2026-03-01T12:00:00.001Z',
    updated_at: '2026-03-01T12:00:00.002Z',
    version: 1,
    ...members,
  };
}
