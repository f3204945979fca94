import type { signingKeys } from '@reelkeep/contract'
import { type Caller, openSession } from '@reelkeep/testkit'
import type { ErrorTriggers, Fixture } from './triggers.ts'

const unknownId = '019a0000-0000-7000-8000-000000000000'
const ofUnknown = `assets/${unknownId}/access-tokens/`

async function newAsset(caller: Caller): Promise<string> {
  return (await openSession(caller)).asset.id
}

/** Creates the maximum number of live access tokens. */
async function fill({ caller, superuser }: Fixture, assetId: string): Promise<void> {
  await superuser.query(
    `insert into access_tokens (organization_id, asset_id, id, is_single_use, referrers, networks, expires_at)
     select $1, $2, gen_random_uuid(), false, '{}', '{}', now() + interval '1 hour'
     from generate_series(1, 10000)`,
    [caller.organizationId, assetId],
  )
}

export const accessTokenTriggers = {
  createAccessToken: {
    asset_not_found: ({ caller }) => caller.post(ofUnknown, {}),
    access_token_limit_reached: async (fixture) => {
      const asset = await newAsset(fixture.caller)
      await fill(fixture, asset)
      return fixture.caller.post(`assets/${asset}/access-tokens/`, {})
    },
  },
  listAccessTokens: {
    asset_not_found: ({ caller }) => caller.get(ofUnknown),
    invalid_cursor: async ({ caller }) => caller.get(`assets/${await newAsset(caller)}/access-tokens/?cursor=junk`),
  },
  readAccessToken: {
    asset_not_found: ({ caller }) => caller.get(`${ofUnknown}${unknownId}/`),
    access_token_not_found: async ({ caller }) =>
      caller.get(`assets/${await newAsset(caller)}/access-tokens/${unknownId}/`),
  },
  revokeAccessToken: {
    asset_not_found: ({ caller }) => caller.delete(`${ofUnknown}${unknownId}/`),
    access_token_not_found: async ({ caller }) =>
      caller.delete(`assets/${await newAsset(caller)}/access-tokens/${unknownId}/`),
  },
  revokeAllAccessTokens: {},
  createSigningKey: {
    invalid_title: ({ caller }) => caller.post('signing-keys/', { name: '' }),
    invalid_expiry: ({ caller }) =>
      caller.post('signing-keys/', { name: 'Website', expires_at: '2001-01-01T00:00:00Z' }),
    signing_key_limit_reached: async ({ caller }) => {
      for (let count = 0; count < 10; count++) {
        await caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Website' })
      }
      return caller.post('signing-keys/', { name: 'One too many' })
    },
  },
  listSigningKeys: {
    invalid_cursor: ({ caller }) => caller.get('signing-keys/?cursor=junk'),
  },
  deleteSigningKey: {
    signing_key_not_found: ({ caller }) => caller.delete(`signing-keys/${unknownId}/`),
  },
} satisfies Partial<ErrorTriggers>
