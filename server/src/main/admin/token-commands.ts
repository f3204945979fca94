import { type Scope, scopes } from '@reelkeep/contract'
import type { TokenId } from '../../kernel/ids.ts'
import { requireOrganization } from '../../modules/organizations/organizations.ts'
import { createToken, listTokens, revokeToken, type Token } from '../../modules/tokens/tokens.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { isUuidKey, type Position } from '../../platform/db/paging/keyset.ts'
import { UsageError } from '../command-io.ts'
import { type Commands, needed } from './command.ts'

export const tokenCommands = {
  'create-token': async (database, { values, positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const input = {
      name: needed(values.name, '--name'),
      scopes: needed(values.scope, '--scope').map(asScope),
      expiresAt: values['expires-at'] ?? null,
    }
    const { id, text } = await createToken(db, 'system', input)
    return { REELKEEP_TOKEN_ID: id, REELKEEP_TOKEN: text }
  },
  'list-tokens': async (database, { positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    return { tokens: await allTokens(db) }
  },
  'revoke-token': async (database, { values, positionals: [organization, tokenId] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const id = asTokenId(needed(tokenId, 'TOKEN_ID'))
    await revokeToken(db, everyScope, { id, withDescendants: values.descendants })
    return { revoked: tokenId }
  },
} satisfies Commands

const everyScope = { scopes: ['*'] } as const

async function allTokens(db: OrganizationDb): Promise<Token[]> {
  const tokens: Token[] = []
  let position: Position | null | undefined
  do {
    const page = await listTokens(db, { limit: 1000, position: position ?? undefined })
    tokens.push(...page.rows)
    position = page.next
  } while (position)
  return tokens
}

function asTokenId(text: string): TokenId {
  if (isUuidKey([text])) return text as TokenId
  throw new UsageError(`${text} is not a token id. See list-tokens.`)
}

function asScope(text: string): Scope {
  const scope = scopes.find((known) => known === text)
  if (!scope) throw new UsageError(`There is no scope ${text}. Scopes: ${scopes.join(', ')}.`)
  return scope
}
