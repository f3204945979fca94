import { Type } from 'typebox'
import { bodyOf, Creator, closed, noParams, noQuery, nullable, timestampField } from '../fields.ts'
import { FolderUuid } from '../library/folders.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'
import { RoleSummary, roleField } from './roles.ts'

/** Maximum number of open invitations: enough to invite a whole company at once. */
export const OPEN_INVITATIONS_MAX = 1000
export const INVITATION_SECONDS_DEFAULT = 7 * 86_400
const INVITATION_SECONDS_MIN = 300
const INVITATION_SECONDS_MAX = 30 * 86_400

/** Maximum length of an address that mail servers accept. */
const EMAIL_LENGTH_MAX = 254
const EMAIL_PART = '[^\\s@"<>(),;:\\u005c\\u005b\\u005d\\u0000-\\u001f\\u007f\\ud800-\\udfff]+'
const EMAIL = `^${EMAIL_PART}@${EMAIL_PART}$`

/** Whether the text is one address, without a name. */
export const isEmail = (text: string): boolean => text.length <= EMAIL_LENGTH_MAX && new RegExp(EMAIL).test(text)

/** An address with one `@` and without spaces; whether it exists is only known by sending a mail. */
export const emailField = Type.String({
  maxLength: EMAIL_LENGTH_MAX,
  pattern: EMAIL,
  examples: ['kim@example.org'],
})

const invitationFields = {
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  role: RoleSummary,
  folder_uuid: nullable(FolderUuid, 'The member will only use this folder and everything in it; null without a limit.'),
  created_at: timestampField,
  created_by: Creator,
  expires_at: timestampField,
}

/** An open invitation, without its link, which is returned once. */
export const Invitation = Type.Object(invitationFields, { title: 'Invitation' })
export type Invitation = Type.Static<typeof Invitation>

export const NewInvitation = Type.Object(
  {
    ...invitationFields,
    link: Type.String({
      description: 'One-time link with which the person joins the organization, returned only once.',
    }),
    mailed: Type.Boolean({ description: 'True if the service sends the link to `email`.' }),
  },
  { title: 'NewInvitation' },
)
export type NewInvitation = Type.Static<typeof NewInvitation>

const onInvitation = Type.Object({ invitation_id: Type.String({ format: 'uuid' }) })
const shared = { tag: 'Invitations', idempotent: false, isOrganizationWide: true } as const

export const createInvitation = {
  ...shared,
  id: 'createInvitation',
  method: 'POST',
  path: '/invitations/',
  summary: 'Invite a person',
  description: `Creates a one-time link with which a person becomes a member. The link is sent to \`email\` if the operator has configured a mail server; otherwise pass it on yourself. The scopes of the role must be among your own, also when the link is used: it stops working if you are removed. An organization can have at most ${OPEN_INVITATIONS_MAX} open invitations.`,
  scopes: ['members:write'],
  needsRecentSignIn: true,
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      email: emailField,
      role: roleField,
      folder_uuid: Type.Optional(
        nullable(FolderUuid, 'Limits the member to this folder and everything in it. Null: no limit.'),
      ),
      expires_in_seconds: Type.Optional(
        Type.Integer({
          minimum: INVITATION_SECONDS_MIN,
          maximum: INVITATION_SECONDS_MAX,
          default: INVITATION_SECONDS_DEFAULT,
          description: 'How long the link works: 7 days by default, up to 30 days.',
        }),
      ),
    },
    { email: 'kim@example.org', role: 'editor' },
  ),
  success: { status: 201, body: NewInvitation },
  idempotent: true,
  secretResponse: true,
  errors: [
    'unknown_role',
    'target_folder_not_found',
    'already_member',
    'member_limit_reached',
    'invitation_limit_reached',
  ],
} as const satisfies Operation

export const listInvitations = {
  ...shared,
  id: 'listInvitations',
  method: 'GET',
  path: '/invitations/',
  summary: 'List invitations',
  description: 'Returns the open invitations, newest first, without their links.',
  scopes: ['members:read'],
  params: noParams,
  query: Type.Object(pageQuery, closed),
  body: undefined,
  success: { status: 200, body: page(Invitation) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const revokeInvitation = {
  ...shared,
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/invitations/:invitation_id/',
  summary: 'Revoke an invitation',
  description: 'Ends an open invitation; its link no longer works. Your scopes must include those of its role.',
  scopes: ['members:write'],
  params: onInvitation,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['invitation_not_found'],
} as const satisfies Operation

export const operations = [createInvitation, listInvitations, revokeInvitation] as const
