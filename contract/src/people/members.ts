import { Type } from 'typebox'
import {
  Creator,
  changesOf,
  closed,
  flag,
  ifMatch,
  noParams,
  noQuery,
  nullable,
  searchText,
  timestampField,
} from '../fields.ts'
import { FolderUuid } from '../library/folders.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'
import { scopes } from '../scopes.ts'
import { RoleSummary, roleField } from './roles.ts'

/** Maximum number of members. It bounds the transaction that changes a custom role. */
export const MEMBERS_MAX = 10_000

/** A person who can sign in and act for the organization. */
export const Member = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    email: nullable(Type.String(), 'Null if the identity provider did not give one.'),
    role: RoleSummary,
    scopes: Type.Array(Type.Enum([...scopes], { type: 'string' }), { description: 'The scopes of the role.' }),
    folder_uuid: nullable(
      FolderUuid,
      'The member can only use this folder and everything in it; null without a limit.',
    ),
    issuer: Type.String({ description: 'Who authenticates the person: `local`, or the URL of an identity provider.' }),
    created_at: timestampField,
    created_by: Creator,
    expires_at: nullable(
      timestampField,
      'The membership ends then: the expiry of the token that invited the member or last changed its role or folder. Null if it does not expire.',
    ),
    last_active_at: nullable(timestampField, 'Accurate to about one minute; null if the member has not been active.'),
  },
  { title: 'Member' },
)
export type Member = Type.Static<typeof Member>

const onMember = Type.Object({ member_id: Type.String({ format: 'uuid' }) })
const shared = { tag: 'Members', idempotent: false } as const

export const listMembers = {
  ...shared,
  id: 'listMembers',
  method: 'GET',
  path: '/members/',
  summary: 'List members',
  description: 'Returns the members, newest first. Removed members are not included.',
  scopes: ['members:read'],
  isOrganizationWide: true,
  params: noParams,
  query: Type.Object(
    {
      q: searchText('Text that the name or the email address contains, ignoring case.'),
      role: Type.Optional({ ...roleField, description: 'Return only members with the role of this id.' }),
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: page(Member) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const readCurrentMember = {
  ...shared,
  id: 'readCurrentMember',
  method: 'GET',
  path: '/members/current/',
  summary: 'Retrieve the current member',
  description:
    'Returns the member who is signed in. A request with an API token gets 404: `tokens/current/` returns the token.',
  scopes: [],
  params: noParams,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Member },
  errors: ['member_not_found'],
} as const satisfies Operation

export const readMember = {
  ...shared,
  id: 'readMember',
  method: 'GET',
  path: '/members/:member_id/',
  summary: 'Retrieve a member',
  description: 'Returns the member with its role.',
  scopes: ['members:read'],
  isOrganizationWide: true,
  params: onMember,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: Member, hasEntityTag: true },
  errors: ['member_not_found'],
} as const satisfies Operation

const BOUNDS =
  'The role and its scopes must be among your own, before and after the change. At least one owner without a folder limit and without an expiry always remains.'

export const updateMember = {
  ...shared,
  id: 'updateMember',
  method: 'PATCH',
  path: '/members/:member_id/',
  summary: 'Update a member',
  description: `Changes the role or the folder of a member, on all instances within a second. The member then expires with the token that makes the change. ${BOUNDS} With the \`ETag\` of the member in \`If-Match\`, the request is refused if the member has changed since.`,
  scopes: ['members:write'],
  isOrganizationWide: true,
  needsRecentSignIn: true,
  params: onMember,
  query: noQuery,
  headers: ifMatch,
  body: changesOf(
    { role: roleField, folder_uuid: nullable(FolderUuid, 'Null removes the limit.') },
    { role: 'editor', folder_uuid: null },
  ),
  success: { status: 200, body: Member, hasEntityTag: true },
  errors: ['member_not_found', 'unknown_role', 'target_folder_not_found', 'last_owner', 'changed_meanwhile'],
} as const satisfies Operation

export const removeMember = {
  ...shared,
  id: 'removeMember',
  method: 'DELETE',
  path: '/members/:member_id/',
  summary: 'Remove a member',
  description: `Ends the membership on all instances within a second, with its event streams. The person can be invited again. You can remove yourself, and members whose scopes you have. At least one owner always remains. With \`descendants\`, also ends everything that the member created: tokens are revoked, members whom they invited are removed, signing keys are deleted, webhooks are disabled and access tokens are revoked.`,
  scopes: ['members:write'],
  isOrganizationWide: true,
  needsRecentSignIn: true,
  params: onMember,
  query: Type.Object({ descendants: flag('Also revoke the access that the member granted.') }, closed),
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['member_not_found', 'last_owner'],
} as const satisfies Operation

export const RecoveryLink = Type.Object(
  {
    link: Type.String({ description: 'One-time link, returned only once. Send it to the member.' }),
    expires_at: timestampField,
  },
  { title: 'RecoveryLink' },
)

export const createRecoveryLink = {
  ...shared,
  id: 'createRecoveryLink',
  method: 'POST',
  path: '/members/:member_id/recovery-link/',
  summary: 'Create a recovery link',
  description:
    'Returns a link with which the member sets a new password or passkey, once, within 24 hours. It replaces an earlier link. Only for members who sign in with a password or passkey of this service and belong to no other organization; for others, the operator or the identity provider restores the access.',
  scopes: ['members:write'],
  isOrganizationWide: true,
  needsRecentSignIn: true,
  params: onMember,
  query: noQuery,
  body: undefined,
  success: { status: 201, body: RecoveryLink },
  idempotent: true,
  secretResponse: true,
  errors: ['member_not_found', 'recovery_not_available'],
} as const satisfies Operation

export const operations = [
  listMembers,
  readCurrentMember,
  readMember,
  updateMember,
  removeMember,
  createRecoveryLink,
] as const
