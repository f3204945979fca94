import { refused } from '../../kernel/errors.ts'
import { setEmbedOrigins } from '../../modules/embedding/embedding.ts'
import {
  createOrganization,
  listOrganizations,
  requireOrganization,
  setOpen,
} from '../../modules/organizations/organizations.ts'
import { explainSuspension, resumeOrganization, suspendOrganization } from '../../modules/suspension/suspension.ts'
import { createToken } from '../../modules/tokens/tokens.ts'
import { type Commands, needed } from './command.ts'
import { administrator } from './token-commands.ts'

export const organizationCommands = {
  'create-organization': async (database, { values }, { PUBLIC_URL: url }) => {
    const id = await createOrganization(database, {
      name: needed(values.name, '--name'),
      id: values.id,
    })
    const input = { name: 'First token', scopes: ['*'] as const, expiresAt: null }
    const { text } = await createToken(database.forOrganization(id), administrator, input)
    return { REELKEEP_URL: url, REELKEEP_ORGANIZATION: id, REELKEEP_TOKEN: text }
  },
  'list-organizations': async (database) => ({
    organizations: await listOrganizations(database),
  }),
  'enable-public-playback': async (database, { positionals: [organization] }) => {
    await setOpen(await requireOrganization(database, needed(organization, 'ORGANIZATION')), true)
    return { opened: organization }
  },
  'disable-public-playback': async (database, { positionals: [organization] }) => {
    await setOpen(await requireOrganization(database, needed(organization, 'ORGANIZATION')), false)
    return { closed: organization }
  },
  'suspend-organization': async (database, { positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    await suspendOrganization(database, db.organizationId)
    return { suspended: organization }
  },
  'resume-organization': async (database, { positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const wasSuspended = await resumeOrganization(database, db.organizationId)
    // If the organization is suspended by a migration, resuming it here would let both cells accept writes, or serve
    // incomplete data.
    const explanation = wasSuspended ? undefined : await explainSuspension(db)
    if (explanation) throw refused('invalid_request', explanation)
    return { resumed: organization, was_suspended: wasSuspended }
  },
  'set-embed-origins': async (database, { values, positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const origins = await setEmbedOrigins(db, values.origin ?? [])
    return { embed_origins: origins.length > 0 ? origins.join(' ') : '*' }
  },
} satisfies Commands
