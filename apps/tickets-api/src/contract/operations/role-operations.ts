import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { roleList } from '../../api/roles/routes.ts';
import { roles } from '../../helpdesk/people/person.ts';
import { defaultRights, optionalRights } from '../../helpdesk/roles/right.ts';
import { roleEditSchema, roleSchema } from '../../helpdesk/roles/role.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';

const customer = {
  id: 'customer',
  rights: { ...defaultRights.customer, set_priority: false },
  optional_rights: optionalRights.customer,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 2,
  etag: '"2-9f3a2c41d7-json"',
};
const role = createComponent('Role', 'role', withEtag(roleSchema), customer);
/** A role in a list of which some fields may be selected. */
const listedRole = createComponent('RoleListItem', 'role', roleList.schema, customer);
const roleUpdate = createComponent('RoleUpdate', 'role', roleEditSchema, { rights: customer.rights });
const rolePatch = {
  ...createComponent('RolePatch', 'role', roleEditSchema, { rights: customer.rights }),
  example: { rights: { set_priority: false } },
};
const member = {
  tag: 'roles',
  path: '/role/{role_id}',
  pathParameters: {
    role_id: z.enum(roles).meta({ description: 'The `id` of the role', examples: ['customer'] }),
  },
} as const;
const cached = ['ETag', 'Cache-Control'] as const;
const changed = { component: role, headers: [...cached, 'Keydesk-Changed'] } as const;
const change = {
  scope: scopes.write,
  isRepeatable: true,
  conditional: { header: 'If-Match', current: role },
} as const;
const rule =
  'Every process obeys it within a second, and it is an event. A right that is not in `optional_rights` is fixed: 400. Customers learn their own rights from `GET /me`.';

/** Operations on the rights of roles. */
export const roleOperations: readonly Operation[] = [
  {
    id: 'listRoles',
    method: 'GET',
    tag: 'roles',
    path: '/roles',
    summary: 'Fetch the roles with their rights',
    description: 'For agents and administrators. All roles on one page, unless `limit` says otherwise.',
    scope: scopes.read,
    query: roleList.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'Every role',
      component: createPage(listedRole, 'roles', { name: 'RolePage', hasTotal: true }),
      headers: [...cached, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'fetchRole',
    method: 'GET',
    ...member,
    summary: 'Fetch one role',
    description: 'For agents and administrators.',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The role', component: role, headers: cached },
  },
  {
    id: 'editRole',
    method: 'PUT',
    ...member,
    summary: 'Edit the rights of a role',
    description: `For administrators. Replaces all rights where \`rights\` is given; the read-only members may be sent back as they were read. ${rule}`,
    ...change,
    body: { resource: roleUpdate },
    answer: { status: 200, description: 'The updated role', ...changed },
  },
  {
    id: 'patchRole',
    method: 'PATCH',
    ...member,
    summary: 'Change some rights of a role',
    description: `For administrators. Applies a JSON merge patch (RFC 7396): null takes a right back to its default. ${rule}`,
    ...change,
    body: { patchOf: rolePatch, required: [] },
    answer: { status: 200, description: 'The updated role', ...changed },
  },
];
