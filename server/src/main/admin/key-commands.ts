import { rewrapMasterKeys, rotateMasterKey } from '../../modules/content-keys/content-keys.ts'
import { requireOrganization } from '../../modules/organizations/organizations.ts'
import { rewrapTotpSecrets } from '../../modules/sign-in/accounts/totp-rewrapping.ts'
import { rewrapWebhookSecrets } from '../../modules/webhooks/secrets/secret-rewrapping.ts'
import type { CommandIo } from '../command-io.ts'
import { type Commands, needed } from './command.ts'

export const keyCommands = {
  'rotate-master-key': async (database, { positionals: [organization] }, config) => {
    const ring = needed(config.KEY_ENCRYPTION_KEYS, 'The setting KEY_ENCRYPTION_KEYS')
    const db = await requireOrganization(database, needed(organization, 'ORGANIZATION'))
    return { generation: await rotateMasterKey(ring, db) }
  },
  'rewrap-master-keys': async (database, _, config, io) => {
    const ring = needed(config.KEY_ENCRYPTION_KEYS, 'The setting KEY_ENCRYPTION_KEYS')
    const keys = await rewrapMasterKeys(ring, database)
    const secrets = await rewrapWebhookSecrets(ring, database)
    const totpSecrets = await rewrapTotpSecrets(ring, database)
    const suspended = [...keys.suspended.union(secrets.suspended)]
    if (suspended.length > 0) warnOfSuspended(suspended.length, io)
    return {
      key_encryption_key: ring[0].id,
      rewrapped: keys.rewrapped,
      rewrapped_webhook_secrets: secrets.rewrapped,
      rewrapped_totp_secrets: totpSecrets,
      suspended: suspended.map((id) => ({ suspended: id })),
    }
  },
} satisfies Commands

/** Warns about suspended organizations: if the older key is removed now, their secrets become unreadable. */
function warnOfSuspended(count: number, io: CommandIo): void {
  const organizations = count === 1 ? 'organization' : 'organizations'
  io.stderr.write(
    `The secrets of ${count} suspended or moved ${organizations} are still wrapped with an older key: keep it. ` +
      'Run the command again once each of them is resumed or deleted here.\n',
  )
  io.exitCode = 1
}
