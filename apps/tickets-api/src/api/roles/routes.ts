import { AppError } from '@keydesk/server';
import type { RouterContext } from '@koa/router';
import { MAX_DEFINITIONS } from '../../helpdesk/definitions/definition.ts';
import { type Role, roles as roleIds } from '../../helpdesk/people/person.ts';
import { parseRoleEdit, type ToRights, toPatchedRights, toRights } from '../../helpdesk/roles/edits.ts';
import { isRole } from '../../helpdesk/roles/right.ts';
import { type RoleView, roleSchema } from '../../helpdesk/roles/role.ts';
import type { Roles } from '../../helpdesk/roles/roles.ts';
import { createRenderer } from '../../wire/output/renderer.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createResourceRoutes } from '../definitions/resource-routes.ts';
import type { Route } from '../http/routes.ts';
import { createWholeList } from '../lists/whole-list.ts';

export interface RoleRoutesDeps {
  roles: Roles;
  /** Base of links. */
  baseUrl: string;
}

const [singular, plural] = ['role', 'roles'] as const;
const renderer = createRenderer({ schema: roleSchema, singular, plural });

export const roleList = createWholeList<RoleView>({
  owner: { list: 'roles', operation: 'listRoles' },
  schema: withEtag(roleSchema),
  singular,
  plural,
  identity: 'id',
  renderer,
  max: MAX_DEFINITIONS,
  sortField: 'id',
  uniqueField: 'id',
});

/** Creates the routes `/roles` and `/role/{id}`. */
export function createRoleRoutes({ roles, baseUrl }: RoleRoutesDeps): readonly Route[] {
  return createResourceRoutes<RoleView, never, ToRights, Role>({
    baseUrl,
    singular,
    plural,
    operation: { one: 'Role', all: 'Roles' },
    renderer,
    collection: roleList,
    toTag: ({ version }) => String(version),
    readId: readRole,
    cases: roles,
    edits: {
      parseEdit(body) {
        const edit = parseRoleEdit(body);
        return { edit, toContent: (current) => toRights(current, edit) };
      },
      readPatch: (patch) => (current) => toPatchedRights(current, patch),
    },
  });
}

function readRole({ params }: Pick<RouterContext, 'params'>): Role {
  const id = params.id ?? '';
  if (isRole(id)) return id;
  throw new AppError('not_found', `Unknown role; the roles are ${roleIds.join(', ')}.`);
}
