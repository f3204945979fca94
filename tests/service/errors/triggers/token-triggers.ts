import type { tokens } from '@reelkeep/contract'
import { type Caller, newMember } from '@reelkeep/testkit'
import type { ErrorTriggers, Fixture } from './triggers.ts'

const unknownId = '019a0000-0000-7000-8000-000000000000'
const input = { name: 'x', scopes: ['*'] }

async function newToken(caller: Caller): Promise<string> {
  return (await caller.post<tokens.NewToken>('tokens/', input)).body.id
}

/** Creates as many live tokens as an organization may have. */
async function fill({ caller, superuser }: Fixture): Promise<void> {
  await superuser.query(
    `insert into tokens (organization_id, id, name, token_hash, scopes)
     select $1, gen_random_uuid(), 'Seed', sha256(number::text::bytea), '{*}'
     from generate_series(1, 1000) as number`,
    [caller.organizationId],
  )
}

export const tokenTriggers = {
  createToken: {
    invalid_title: ({ caller }) => caller.post('tokens/', { ...input, name: 'x'.repeat(256) }),
    invalid_expiry: ({ caller }) => caller.post('tokens/', { ...input, expires_at: '2020-01-01T00:00:00Z' }),
    target_folder_not_found: ({ caller }) => caller.post('tokens/', { ...input, folder_uuid: '11111111111' }),
    token_limit_reached: async (fixture) => {
      await fill(fixture)
      return fixture.caller.post('tokens/', input)
    },
  },
  listTokens: {
    invalid_cursor: ({ caller }) => caller.get('tokens/?cursor=junk'),
  },
  readCurrentToken: {},
  readToken: {
    token_not_found: ({ caller }) => caller.get(`tokens/${unknownId}/`),
  },
  rotateToken: {
    token_not_found: ({ caller }) => caller.post(`tokens/${unknownId}/rotate/`, {}),
    token_not_live: async ({ caller }) => {
      const id = await newToken(caller)
      await caller.delete(`tokens/${id}/`)
      return caller.post(`tokens/${id}/rotate/`, {})
    },
    token_limit_reached: async (fixture) => {
      const id = await newToken(fixture.caller)
      await fill(fixture)
      return fixture.caller.post(`tokens/${id}/rotate/`, {})
    },
  },
  revokeToken: {
    token_not_found: ({ caller }) => caller.delete(`tokens/${unknownId}/`),
    last_owner: async ({ caller, superuser }) => {
      const id = await newToken(caller)
      const owner = await newMember(superuser, caller)
      await superuser.query('update tokens set created_by = $2 where id = $1', [owner.id, id])
      return caller.delete(`tokens/${id}/?descendants=true`)
    },
  },
} satisfies Partial<ErrorTriggers>
