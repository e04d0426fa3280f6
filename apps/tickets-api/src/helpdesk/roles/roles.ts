import type { RoleCatalogue } from '../catalogues.ts';
import type { ChangeResult } from '../commit/replay.ts';
import type { Role } from '../people/person.ts';
import type { Viewer } from '../people/viewer.ts';
import { assertAdmin, assertStaff } from '../tickets/permissions.ts';
import { createVersionedResource, nextVersion, type ResourceChange } from '../versioned-resource.ts';
import type { ToRights } from './edits.ts';
import { optionalRights } from './right.ts';
import { createDefaultRole, createRoleSet, type RoleRecord, type RoleView } from './role.ts';
import type { RoleStore } from './role-store.ts';

export interface RolesDeps {
  store: RoleStore;
  catalogue: Pick<RoleCatalogue, 'invalidate'>;
  now: () => Date;
  newId: () => string;
}

/** Operations on the rights of roles. Staff read them; administrators write them. */
export interface Roles {
  /** @throws {AppError} `forbidden` */
  list(viewer: Viewer): Promise<readonly RoleView[]>;
  /** @throws {AppError} `forbidden` */
  get(viewer: Viewer, id: Role): Promise<RoleView>;
  /** @throws {AppError} `forbidden`, `precondition_failed`, `idempotency_mismatch`, and whatever `toRights` throws */
  change(change: ResourceChange<RoleView, Role>, toRights: ToRights): Promise<ChangeResult<RoleView>>;
}

export function createRoles({ store, catalogue, now, newId }: RolesDeps): Roles {
  const changes = createVersionedResource<RoleRecord>({
    what: 'role',
    write: (current, next, audited) => store.replace(next ?? current, current.version, audited),
    writeNothing: (request) => store.replace(createDefaultRole('customer'), 0, { request }),
    invalidate: catalogue.invalidate,
    describe: (before, after) => ({
      resource: { type: 'role', id: String((after ?? before)?.id) },
      before,
      after,
    }),
    now,
    newId,
  });
  const read = async () => createRoleSet(await store.list());

  return {
    async list(viewer) {
      assertStaff(viewer, 'read the rights of roles');
      return (await read()).all.map(toView);
    },
    async get(viewer, id) {
      assertStaff(viewer, 'read the rights of roles');
      return toView((await read()).get(id));
    },
    change(change, toRights) {
      const load = async () => {
        assertAdmin(change.viewer, 'change the rights of roles');
        return { current: (await read()).get(change.id), toView };
      };
      return changes.change(change, load, ({ current }, view: RoleView) =>
        nextVersion(current, { rights: toRights(view) }, now()),
      );
    },
  };
}

function toView({ id, rights, ...others }: RoleRecord): RoleView {
  return Object.freeze({ id, rights, optional_rights: [...optionalRights[id]], ...others });
}
