import { setEmbedOrigins } from '../../capabilities/embedding/embedding.ts'
import {
  explainHold,
  holdOrganization,
  releaseOrganization,
} from '../../capabilities/holds/holds.ts'
import {
  createOrganization,
  enterOrganization,
  listOrganizations,
  setOpen,
} from '../../capabilities/organizations/organizations.ts'
import { createToken } from '../../capabilities/tokens/tokens.ts'
import { refused } from '../../kernel/errors.ts'
import { type Commands, needed } from './command.ts'
import { administrator } from './token-commands.ts'

export const organizationCommands = {
  'create-organization': async (database, { values }, { PUBLIC_URL: url }) => {
    const id = await createOrganization(database, {
      name: needed(values.name, '--name'),
      id: values.id,
    })
    const wish = { name: 'First token', scopes: ['*'] as const, expiresAt: null }
    const { text } = await createToken(database.forOrganization(id), administrator, wish)
    return { REELKEEP_URL: url, REELKEEP_ORGANIZATION: id, REELKEEP_TOKEN: text }
  },
  'list-organizations': async (database) => ({
    organizations: await listOrganizations(database),
  }),
  'open-organization': async (database, { positionals: [organization] }) => {
    await setOpen(await enterOrganization(database, needed(organization, 'ORGANIZATION')), true)
    return { opened: organization }
  },
  'close-organization': async (database, { positionals: [organization] }) => {
    await setOpen(await enterOrganization(database, needed(organization, 'ORGANIZATION')), false)
    return { closed: organization }
  },
  'hold-organization': async (database, { positionals: [organization] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    await holdOrganization(database, db.organizationId)
    return { held: organization }
  },
  'release-organization': async (database, { positionals: [organization] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    const wasHeld = await releaseOrganization(database, db.organizationId)
    // By whoever moves it: to release it here would have both cells take writes, or half of it served.
    const still = wasHeld ? undefined : await explainHold(db)
    if (still) throw refused('invalid_request', still)
    return { released: organization, was_held: wasHeld }
  },
  'set-embed-origins': async (database, { values, positionals: [organization] }) => {
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    const origins = await setEmbedOrigins(db, values.origin ?? [])
    return { embed_origins: origins.length > 0 ? origins.join(' ') : '*' }
  },
} satisfies Commands
