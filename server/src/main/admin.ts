/**
 * `node server/src/main/admin.ts COMMAND`: what only the operator may do, from the server's own command
 * line. It connects as the owner of the database.
 */
import { parseArgs } from 'node:util'
import { type Scope, scopes } from '@reelkeep/contract'
import {
  KeyUnavailable,
  rewrapMasterKeys,
  rotateMasterKey,
} from '../capabilities/content-keys/content-keys.ts'
import { setEmbedOrigins } from '../capabilities/embedding/embedding.ts'
import {
  createOrganization,
  enterOrganization,
  listOrganizations,
  setOpen,
} from '../capabilities/organizations/organizations.ts'
import { retryFailed } from '../capabilities/pipeline/pipeline.ts'
import { createToken, listTokens, revokeToken, type Token } from '../capabilities/tokens/tokens.ts'
import { rewrapWebhookSecrets } from '../capabilities/webhooks/secrets/secret-rewrapping.ts'
import { DomainError } from '../kernel/errors.ts'
import type { TokenId } from '../kernel/ids.ts'
import { type AdminConfig, ConfigError, readAdminConfig } from '../platform/config/env.ts'
import { Database, type OrganizationDb } from '../platform/db/database.ts'
import { isUuidKey, type Position } from '../platform/db/keyset.ts'
import { repeatFailedJobs } from '../platform/jobs/failed-jobs.ts'

const usage = `reelkeep admin: organizations, their tokens and keys, and jobs that failed

  create-organization --name NAME [--id ID]     makes one and its first token, with every scope
  list-organizations
  open-organization ORGANIZATION                its videos without content protection are watched without a token
  close-organization ORGANIZATION               every video needs a token again; so it is from the start
  create-token ORGANIZATION --name NAME --scope SCOPE… [--expires-at TIME]
  list-tokens ORGANIZATION
  revoke-token ORGANIZATION TOKEN_ID
  set-embed-origins ORGANIZATION [--origin ORIGIN…]
                                                whose pages may hold the player in a frame; without any, everybody's
  repeat-failed-jobs [--job NAME]               promises jobs that failed for good once more, and says how many
  retry-failed-assets [ORGANIZATION]            retries videos whose processing failed through no fault of the file
  rotate-master-key ORGANIZATION                has videos protected with a new master key from now on
  rewrap-master-keys                            has all master keys, and the secrets of webhooks, under the first of KEY_ENCRYPTION_KEYS

  --json   prints JSON
  --env    prints lines that a shell can eval
  Scopes:  ${scopes.join(', ')}  (* is every scope)
`

type Arguments = ReturnType<typeof readArguments>
type Command = (database: Database, args: Arguments, config: AdminConfig) => Promise<object>

const commands: Record<string, Command> = {
  'create-organization': async (database, { values }) => {
    const id = await createOrganization(database, {
      name: needed(values.name, '--name'),
      id: values.id,
    })
    const wish = { name: 'First token', scopes: ['*'] as const, expiresAt: null }
    const { text } = await createToken(database.forOrganization(id), administrator, wish)
    return { REELKEEP_ORGANIZATION: id, REELKEEP_TOKEN: text }
  },
  'list-organizations': async (database) => ({ organizations: await listOrganizations(database) }),
  'open-organization': async (database, { positionals: [organization] }) => {
    await setOpen(await enterOrganization(database, needed(organization, 'ORGANIZATION')), true)
    return { opened: organization }
  },
  'close-organization': async (database, { positionals: [organization] }) => {
    await setOpen(await enterOrganization(database, needed(organization, 'ORGANIZATION')), false)
    return { closed: organization }
  },
  'create-token': async (database, { values, positionals: [organization] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    const wish = {
      name: needed(values.name, '--name'),
      scopes: needed(values.scope, '--scope').map(asScope),
      expiresAt: values['expires-at'] ?? null,
    }
    const { id, text } = await createToken(db, administrator, wish)
    return { REELKEEP_TOKEN_ID: id, REELKEEP_TOKEN: text }
  },
  'list-tokens': async (database, { positionals: [organization] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    return { tokens: await allTokens(db) }
  },
  'revoke-token': async (database, { positionals: [organization, tokenId] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    await revokeToken(db, asTokenId(needed(tokenId, 'TOKEN_ID')))
    return { revoked: tokenId }
  },
  'set-embed-origins': async (database, { values, positionals: [organization] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    const origins = await setEmbedOrigins(db, values.origin ?? [])
    return { embed_origins: origins.length > 0 ? origins.join(' ') : '*' }
  },
  'repeat-failed-jobs': async (database, { values }, { DATABASE_OWNER_URL: ownerUrl }) => ({
    repeated: await repeatFailedJobs(database, ownerUrl, values.job),
  }),
  'retry-failed-assets': async (database, { positionals: [organization] }) => {
    const ids = organization
      ? [organization]
      : (await listOrganizations(database)).map(({ id }) => id)
    let retried = 0
    for (const id of ids) retried += await retryFailed(await enterOrganization(database, id))
    return { retried }
  },
  'rotate-master-key': async (database, { positionals: [organization] }, config) => {
    const ring = needed(config.KEY_ENCRYPTION_KEYS, 'The setting KEY_ENCRYPTION_KEYS')
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    return { generation: await rotateMasterKey(ring, db) }
  },
  'rewrap-master-keys': async (database, _, config) => {
    const ring = needed(config.KEY_ENCRYPTION_KEYS, 'The setting KEY_ENCRYPTION_KEYS')
    return {
      key_encryption_key: ring[0].id,
      rewrapped: await rewrapMasterKeys(ring, database),
      rewrapped_webhook_secrets: await rewrapWebhookSecrets(ring, database),
    }
  },
}

const administrator = { scopes: ['*'] as const, expiresAt: null }

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

class UsageError extends Error {}

function readArguments(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      id: { type: 'string' },
      scope: { type: 'string', multiple: true },
      'expires-at': { type: 'string' },
      origin: { type: 'string', multiple: true },
      job: { type: 'string' },
      json: { type: 'boolean', default: false },
      env: { type: 'boolean', default: false },
    },
  })
}

function needed<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new UsageError(`${name} is missing.`)
  return value
}

function asTokenId(text: string): TokenId {
  if (isUuidKey([text])) return text as TokenId
  throw new UsageError(`${text} is not the id of a token. See list-tokens.`)
}

function asScope(text: string): Scope {
  const scope = scopes.find((known) => known === text)
  if (!scope) throw new UsageError(`There is no scope ${text}. Scopes: ${scopes.join(', ')}.`)
  return scope
}

async function run([name = '', ...rest]: readonly string[]): Promise<void> {
  if (name === '--help' || name === 'help' || rest.includes('--help')) {
    process.stdout.write(usage)
    return
  }
  const command = commands[name]
  if (!command) throw new UsageError(name ? `There is no command ${name}.` : 'Say what to do.')
  const args = readArguments(rest)
  const config = readAdminConfig()
  await using database = new Database(
    { url: config.DATABASE_OWNER_URL, connectionsMax: 2, statementTimeoutSeconds: 60 },
    () => {},
  )
  print(await command(database, args, config), args.values)
}

function print(result: object, form: { json: boolean; env: boolean }): void {
  const lines = form.json ? [JSON.stringify(result)] : Object.entries(result).flatMap(toLines)
  for (const line of lines) process.stdout.write(`${form.env ? 'export ' : ''}${line}\n`)
}

function toLines([key, value]: [string, unknown]): string[] {
  if (!Array.isArray(value)) return [`${key}=${value}`]
  return value.map((row: object) =>
    Object.entries(row)
      .map(([name, cell]) => `${name}=${cell ?? '-'}`)
      .join('  '),
  )
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  const isOurs = [DomainError, ConfigError, KeyUnavailable].some((ours) => error instanceof ours)
  const message = error instanceof Error ? error.message : String(error)
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`reelkeep admin: ${message}\n${isUsage ? `\n${usage}` : ''}`)
  if (!isOurs && !isUsage)
    process.stderr.write('Is the database running, and DATABASE_OWNER_URL right?\n')
  process.exitCode = 1
}
