import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { refused } from '../../kernel/errors.ts'
import {
  cancelDeletion,
  deleteOrganization,
  GRACE_DAYS_DEFAULT,
  GRACE_DAYS_MAX,
} from '../../modules/organization-deletion/organization-deletion.ts'
import {
  createOrganization,
  listOrganizations,
  parseOrganizationId,
  requireOrganization,
  setEmbedOrigins,
  setOpen,
} from '../../modules/organizations/organizations.ts'
import { type QuotaLimits, setQuotas } from '../../modules/quotas/quotas.ts'
import {
  explainSuspension,
  organizationState,
  resumeOrganization,
  suspendOrganization,
} from '../../modules/suspension/suspension.ts'
import { createToken } from '../../modules/tokens/tokens.ts'
import { countEdgeLog, EdgeLog } from '../../modules/usage/usage.ts'
import { setWebhookNetworks } from '../../modules/webhooks/webhooks.ts'
import { UsageError } from '../command-io.ts'
import { type Commands, needed } from './command.ts'
import { recordCommand } from './command-records.ts'
import { asEmail, ownerLink } from './people-commands.ts'

/** Default expiry of the first token: long enough for a service in production, and it ends if it is forgotten. */
function yearFromNow(): string {
  const time = new Date()
  time.setUTCFullYear(time.getUTCFullYear() + 1)
  return time.toISOString()
}

function limitOf(name: keyof QuotaLimits, text: string | undefined): Partial<QuotaLimits> {
  if (text === undefined) return {}
  if (text === 'none') return { [name]: null }
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`A quota must be a whole number or none (got ${text}).`)
  return { [name]: Number(text) }
}

/** Reads the log once: the hash of its content identifies it. */
async function readEdgeLog(file: string): Promise<{ readonly hash: Buffer; readonly log: EdgeLog }> {
  const log = new EdgeLog()
  const hash = createHash('sha256')
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    hash.update(line).update('\n')
    log.addLine(line)
  }
  return { hash: hash.digest(), log }
}

function daysOf(text = String(GRACE_DAYS_DEFAULT)): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= GRACE_DAYS_MAX) return Number(text)
  throw new UsageError(`--days must be a whole number from 0 to ${GRACE_DAYS_MAX} (got ${text}).`)
}

export const organizationCommands = {
  'create-organization': async (database, { values }, { PUBLIC_URL: url }) => {
    const owner = values.owner === undefined ? undefined : asEmail(values.owner)
    const id = await createOrganization(database, {
      name: needed(values.name, '--name'),
      id: values.id,
    })
    const expiry = values['expires-at'] ?? yearFromNow()
    const input = { name: 'First token', scopes: ['*'] as const, expiresAt: expiry === 'never' ? null : expiry }
    const db = database.forOrganization(id)
    const { text } = await createToken(db, 'system', input)
    const link = owner === undefined ? {} : { REELKEEP_OWNER_LINK: await ownerLink(db, url, owner) }
    return { REELKEEP_URL: url, REELKEEP_ORGANIZATION: id, REELKEEP_TOKEN: text, ...link }
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
    // A suspended organization cannot be written to.
    if ((await explainSuspension(db)) === undefined) await recordCommand(db, 'suspend-organization')
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
    if (wasSuspended) await recordCommand(db, 'resume-organization')
    return { resumed: organization, was_suspended: wasSuspended }
  },
  'set-embed-origins': async (database, { values, positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const origins = await setEmbedOrigins(db, values.origin ?? [])
    return { embed_origins: origins.length > 0 ? origins.join(' ') : '*' }
  },
  'set-quota': async (database, { values, positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const quotas = await setQuotas(db, {
      ...limitOf('storedBytes', values['stored-bytes']),
      ...limitOf('assets', values.assets),
      ...limitOf('encodedMinutes', values['encoded-minutes']),
      ...limitOf('openSessions', values['open-sessions']),
    })
    const rows = Object.entries(quotas).map(([name, { limit, used }]) => ({ name, limit: limit ?? 'none', used }))
    return { quotas: rows }
  },
  'delete-organization': async (database, { values }) => {
    if (values.cancel !== undefined) {
      const id = parseOrganizationId(values.cancel)
      await cancelDeletion(database, id)
      await recordCommand(database.forOrganization(id), 'delete-organization')
      return { restored: values.cancel }
    }
    const db = await requireOrganization(database, needed(values.confirm, '--confirm'))
    const graceDays = values.now ? 0 : daysOf(values.days)
    const ignoresHolds = values['despite-legal-hold']
    if ((await explainSuspension(db)) === undefined) await recordCommand(db, 'delete-organization')
    const purgedAt = await deleteOrganization(database, db.organizationId, { graceDays, ignoresHolds })
    return { deleted: db.organizationId, purged_at: purgedAt }
  },
  'count-edge-log': async (database, { positionals: [file] }) => {
    const { hash, log } = await readEdgeLog(needed(file, 'FILE'))
    const organizations = []
    for (const [id, deliveries] of log.organizations()) {
      const db = database.forOrganization(id)
      const isServed = (await organizationState(db)).exists && (await explainSuspension(db)) === undefined
      const bytes = isServed ? await countEdgeLog(db, hash, deliveries) : 0
      const result = isServed ? (bytes === undefined ? 'counted before' : 'counted') : 'skipped: suspended or unknown'
      organizations.push({ id, bytes: bytes ?? 0, result })
    }
    return { organizations }
  },
  'set-webhook-networks': async (database, { values, positionals: [organization] }) => {
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    const networks = await setWebhookNetworks(db, values.network ?? [])
    return { webhook_networks: networks.length > 0 ? networks.join(' ') : 'none' }
  },
} satisfies Commands
