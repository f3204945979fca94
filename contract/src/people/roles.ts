import { Type } from 'typebox'
import {
  bodyOf,
  Creator,
  changesOf,
  ifMatch,
  noParams,
  noQuery,
  nullable,
  timestampField,
  titleField,
} from '../fields.ts'
import type { Operation } from '../operation.ts'
import { page } from '../page.ts'
import { type Scope, scopes } from '../scopes.ts'

/** Maximum number of custom roles: far more than an organization can keep apart. */
export const CUSTOM_ROLES_MAX = 100

type BuiltInRole = {
  readonly name: string
  readonly description: string
  readonly scopes: readonly Scope[]
  /** Limits assets and upload sessions to those that the member created. */
  readonly isOwnOnly?: true
}

/** The roles that every organization has, by id. */
export const builtInRoles = {
  owner: {
    name: 'Owner',
    description: 'Everything, including the members and the signing keys of the organization.',
    scopes: ['*'],
  },
  manager: {
    name: 'Manager',
    description: 'Everything except owners and signing keys.',
    scopes: scopes.filter((scope) => scope !== '*' && scope !== 'keys:write'),
  },
  editor: {
    name: 'Editor',
    description: 'Uploads, changes, deletes and shares videos and folders.',
    scopes: [
      ...(['assets:read', 'assets:write', 'events:read', 'folders:read', 'folders:write'] as const),
      ...(['playback:read', 'playback:write'] as const),
    ],
  },
  uploader: {
    name: 'Uploader',
    description: 'Creates folders, uploads videos, and sees only the videos that it uploaded.',
    scopes: ['assets:read', 'events:read', 'folders:create', 'folders:read', 'playback:read', 'uploads:write'],
    isOwnOnly: true,
  },
  viewer: {
    name: 'Viewer',
    description: 'Sees and plays videos.',
    scopes: ['assets:read', 'events:read', 'folders:read', 'playback:read'],
  },
} as const satisfies Record<string, BuiltInRole>

export type BuiltInRoleId = keyof typeof builtInRoles

const ROLE_ID = '^[0-9a-z-]{1,36}$'

/** A role in the body of a request. */
export const roleField = Type.String({
  pattern: ROLE_ID,
  description: `Id of the role: ${Object.keys(builtInRoles)
    .map((id) => `\`${id}\``)
    .join(', ')}, or the id of a custom role.`,
  examples: ['editor'],
})

/** The role of a member or an invitation in a response. */
export const RoleSummary = Type.Object(
  {
    id: Type.String({ description: 'Such as `editor`, or the id of a custom role.' }),
    name: Type.String(),
  },
  { title: 'RoleSummary' },
)

const ScopeName = Type.Enum([...scopes], { type: 'string' })

/** A custom role cannot have every scope: only owners do, and at least one owner always remains. */
const customScopes = scopes.filter((scope) => scope !== '*')
const scopesField = Type.Array(Type.Enum([...customScopes], { type: 'string' }), {
  minItems: 1,
  maxItems: customScopes.length,
  uniqueItems: true,
})

const descriptionField = Type.String({
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*$',
  description: 'Your own note.',
})

/** A named set of scopes. */
export const Role = Type.Object(
  {
    id: Type.String({ description: 'Such as `editor`, or a UUID for a custom role.', examples: ['editor'] }),
    name: Type.String(),
    description: Type.String(),
    scopes: Type.Array(ScopeName),
    built_in: Type.Boolean({ description: 'True for a role that every organization has and that cannot be changed.' }),
    member_count: Type.Integer({ minimum: 0, description: 'Number of members with this role.' }),
    created_at: nullable(timestampField, 'Null for a built-in role.'),
    created_by: nullable(Creator, 'Null for a built-in role.'),
  },
  { title: 'Role' },
)
export type Role = Type.Static<typeof Role>

const onRole = Type.Object({ role_id: Type.String({ pattern: ROLE_ID }) })
const shared = { tag: 'Roles', idempotent: false, query: noQuery, isOrganizationWide: true } as const
const change = { needsRecentSignIn: true } as const

export const createRole = {
  ...shared,
  ...change,
  id: 'createRole',
  method: 'POST',
  path: '/roles/',
  summary: 'Create a role',
  description: `Creates a custom role. It can only have scopes of the token or member that creates it. An organization can have at most ${CUSTOM_ROLES_MAX} custom roles.`,
  scopes: ['members:write'],
  params: noParams,
  body: bodyOf(
    { name: titleField, description: Type.Optional(descriptionField), scopes: scopesField },
    { name: 'Subtitler', scopes: ['assets:read', 'assets:write', 'folders:read'] },
  ),
  success: { status: 201, body: Role },
  idempotent: true,
  errors: ['invalid_title', 'role_limit_reached'],
} as const satisfies Operation

export const listRoles = {
  ...shared,
  id: 'listRoles',
  method: 'GET',
  path: '/roles/',
  summary: 'List roles',
  description: 'Returns all roles in one page: first the built-in ones, then the custom ones, oldest first.',
  scopes: ['members:read'],
  params: noParams,
  body: undefined,
  success: { status: 200, body: page(Role) },
  errors: [],
} as const satisfies Operation

export const readRole = {
  ...shared,
  id: 'readRole',
  method: 'GET',
  path: '/roles/:role_id/',
  summary: 'Retrieve a role',
  description: 'Returns the role with its scopes.',
  scopes: ['members:read'],
  params: onRole,
  body: undefined,
  success: { status: 200, body: Role, hasEntityTag: true },
  errors: ['role_not_found'],
} as const satisfies Operation

export const updateRole = {
  ...shared,
  ...change,
  id: 'updateRole',
  method: 'PATCH',
  path: '/roles/:role_id/',
  summary: 'Update a role',
  description:
    'Changes the given fields of a custom role. New scopes apply to all members with the role within a second; their event streams end and can be opened again. The old and the new scopes must be among your own. With the `ETag` of the role in `If-Match`, the request is refused if the role has changed since.',
  scopes: ['members:write'],
  params: onRole,
  headers: ifMatch,
  body: changesOf(
    { name: titleField, description: descriptionField, scopes: scopesField },
    { scopes: ['assets:read', 'folders:read'] },
  ),
  success: { status: 200, body: Role, hasEntityTag: true },
  errors: ['role_not_found', 'role_is_built_in', 'invalid_title', 'changed_meanwhile'],
} as const satisfies Operation

export const deleteRole = {
  ...shared,
  ...change,
  id: 'deleteRole',
  method: 'DELETE',
  path: '/roles/:role_id/',
  summary: 'Delete a role',
  description: 'Deletes a custom role that no member and no open invitation has.',
  scopes: ['members:write'],
  params: onRole,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['role_not_found', 'role_is_built_in', 'role_in_use'],
} as const satisfies Operation

export const operations = [createRole, listRoles, readRole, updateRole, deleteRole] as const
