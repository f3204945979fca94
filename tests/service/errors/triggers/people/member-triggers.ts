import { roles } from '@reelkeep/contract'
import { type Caller, newMember } from '@reelkeep/testkit'
import type { ErrorTriggers, Fixture } from '../triggers.ts'

const unknownId = '019a0000-0000-7000-8000-000000000000'
const input = { email: 'kim@example.org', role: 'editor' }
const newRole = { name: 'Subtitler', scopes: ['assets:read'] }

/** Id of a new member. */
const someMember = async ({ caller, superuser }: Fixture, role: 'owner' | 'editor' = 'editor') =>
  (await newMember(superuser, caller, { role, scopes: [...roles.builtInRoles[role].scopes] })).id
const someRole = async (caller: Caller) => (await caller.post<{ id: string }>('roles/', newRole)).body.id

/** Adds as many members as an organization may have. */
async function fillMembers({ caller, superuser }: Fixture): Promise<void> {
  await superuser.query(
    `with principals as (
       insert into tokens (organization_id, id, kind, name, scopes)
       select $1, gen_random_uuid(), 'member', 'Seed', '{assets:read}' from generate_series(1, 10000)
       returning id
     )
     insert into members (organization_id, id, issuer, subject, role)
     select $1, id, 'local', id::text, 'viewer' from principals`,
    [caller.organizationId],
  )
}

async function fillInvitations({ caller, superuser }: Fixture): Promise<void> {
  await superuser.query(
    `insert into invitations (organization_id, id, secret_hash, email, role, expires_at)
     select $1, gen_random_uuid(), sha256(number::text::bytea), 'seed@example.org', 'viewer', now() + interval '1 day'
     from generate_series(1, 1000) as number`,
    [caller.organizationId],
  )
}

export const memberTriggers = {
  listMembers: {
    invalid_cursor: ({ caller }) => caller.get('members/?cursor=junk'),
  },
  readCurrentMember: {
    member_not_found: ({ caller }) => caller.get('members/current/'),
  },
  readMember: {
    member_not_found: ({ caller }) => caller.get(`members/${unknownId}/`),
  },
  updateMember: {
    member_not_found: ({ caller }) => caller.patch(`members/${unknownId}/`, { role: 'viewer' }),
    unknown_role: async (fixture) => fixture.caller.patch(`members/${await someMember(fixture)}/`, { role: 'boss' }),
    target_folder_not_found: async (fixture) =>
      fixture.caller.patch(`members/${await someMember(fixture)}/`, { folder_uuid: 'unknownuuid' }),
    last_owner: async (fixture) =>
      fixture.caller.patch(`members/${await someMember(fixture, 'owner')}/`, { role: 'manager' }),
    changed_meanwhile: async (fixture) =>
      fixture.caller.patch(`members/${await someMember(fixture)}/`, { role: 'viewer' }, { 'if-match': '"old"' }),
  },
  removeMember: {
    member_not_found: ({ caller }) => caller.delete(`members/${unknownId}/`),
    last_owner: async (fixture) => fixture.caller.delete(`members/${await someMember(fixture, 'owner')}/`),
  },
  createRecoveryLink: {
    member_not_found: ({ caller }) => caller.post(`members/${unknownId}/recovery-link/`),
    recovery_not_available: async (fixture) => {
      const id = await someMember(fixture)
      await fixture.superuser.query(`update members set issuer = 'https://login.example' where id = $1`, [id])
      return fixture.caller.post(`members/${id}/recovery-link/`)
    },
  },
  createInvitation: {
    unknown_role: ({ caller }) => caller.post('invitations/', { ...input, role: 'boss' }),
    target_folder_not_found: ({ caller }) => caller.post('invitations/', { ...input, folder_uuid: 'unknownuuid' }),
    already_member: async (fixture) => {
      const id = await someMember(fixture)
      await fixture.superuser.query(`update members set email = 'Kim@Example.org' where id = $1`, [id])
      return fixture.caller.post('invitations/', input)
    },
    member_limit_reached: async (fixture) => {
      await fillMembers(fixture)
      return fixture.caller.post('invitations/', input)
    },
    invitation_limit_reached: async (fixture) => {
      await fillInvitations(fixture)
      return fixture.caller.post('invitations/', input)
    },
  },
  listInvitations: {
    invalid_cursor: ({ caller }) => caller.get('invitations/?cursor=junk'),
  },
  revokeInvitation: {
    invitation_not_found: ({ caller }) => caller.delete(`invitations/${unknownId}/`),
  },
  createRole: {
    invalid_title: ({ caller }) => caller.post('roles/', { ...newRole, name: ' ' }),
    role_limit_reached: async ({ caller, superuser }) => {
      await superuser.query(
        `insert into roles (organization_id, id, name, scopes)
         select $1, gen_random_uuid(), 'Seed', '{assets:read}' from generate_series(1, 100)`,
        [caller.organizationId],
      )
      return caller.post('roles/', newRole)
    },
  },
  listRoles: {},
  readRole: {
    role_not_found: ({ caller }) => caller.get(`roles/${unknownId}/`),
  },
  updateRole: {
    role_not_found: ({ caller }) => caller.patch(`roles/${unknownId}/`, newRole),
    role_is_built_in: ({ caller }) => caller.patch('roles/editor/', newRole),
    invalid_title: async ({ caller }) => caller.patch(`roles/${await someRole(caller)}/`, { name: 'x'.repeat(256) }),
    changed_meanwhile: async ({ caller }) =>
      caller.patch(`roles/${await someRole(caller)}/`, { name: 'Editor 2' }, { 'if-match': '"old"' }),
  },
  deleteRole: {
    role_not_found: ({ caller }) => caller.delete(`roles/${unknownId}/`),
    role_is_built_in: ({ caller }) => caller.delete('roles/editor/'),
    role_in_use: async ({ caller, superuser }) => {
      const role = await someRole(caller)
      await newMember(superuser, caller, { role, scopes: ['assets:read'] })
      return caller.delete(`roles/${role}/`)
    },
  },
} satisfies Partial<ErrorTriggers>
