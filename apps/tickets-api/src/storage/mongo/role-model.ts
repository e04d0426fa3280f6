import type { Connection, Model } from 'mongoose';
import { rightNames } from '../../helpdesk/roles/right.ts';
import type { RoleRecord } from '../../helpdesk/roles/role.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { createDocumentSchema, createPartSchema } from './document-schema.ts';

/** A role as MongoDB holds it. */
export interface RoleDocument extends Omit<RoleRecord, 'id' | 'created_at' | 'updated_at'> {
  _id: RoleRecord['id'];
  created_at: Date;
  updated_at: Date;
}

export function createRoleModel(connection: Connection): Model<RoleDocument> {
  const schema = createDocumentSchema<RoleDocument>({
    _id: String,
    rights: createPartSchema(Object.fromEntries(rightNames.map((name) => [name, Boolean]))),
    created_at: Date,
    updated_at: Date,
    version: Number,
  });
  return connection.model<RoleDocument>('Role', schema, 'roles');
}

export function toRoleDocument({ id, created_at, updated_at, ...same }: RoleRecord): RoleDocument {
  return { _id: id, ...same, created_at: new Date(created_at), updated_at: new Date(updated_at) };
}

export function toRole({ _id, rights, created_at, updated_at, version }: RoleDocument): RoleRecord {
  return deepFreeze({
    id: _id,
    rights,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    version,
  });
}
