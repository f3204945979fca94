import { rewrapMasterKeys, rotateMasterKey } from '../../capabilities/content-keys/content-keys.ts'
import { enterOrganization } from '../../capabilities/organizations/organizations.ts'
import { rewrapWebhookSecrets } from '../../capabilities/webhooks/secrets/secret-rewrapping.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Commands, needed } from './command.ts'

export const keyCommands = {
  'rotate-master-key': async (database, { positionals: [organization] }, config) => {
    const ring = needed(config.KEY_ENCRYPTION_KEYS, 'The setting KEY_ENCRYPTION_KEYS')
    const db = await enterOrganization(database, needed(organization, 'ORGANIZATION'))
    return { generation: await rotateMasterKey(ring, db) }
  },
  'rewrap-master-keys': async (database, _, config, around) => {
    const ring = needed(config.KEY_ENCRYPTION_KEYS, 'The setting KEY_ENCRYPTION_KEYS')
    const keys = await rewrapMasterKeys(ring, database)
    const secrets = await rewrapWebhookSecrets(ring, database)
    const held = [...keys.held.union(secrets.held)]
    if (held.length > 0) complainOfHeld(held.length, around)
    return {
      key_encryption_key: ring[0].id,
      rewrapped: keys.rewrapped,
      rewrapped_webhook_secrets: secrets.rewrapped,
      held: held.map((id) => ({ held: id })),
    }
  },
} satisfies Commands

/** Whoever takes the older key out now would lock their secrets away. */
function complainOfHeld(count: number, around: Surroundings): void {
  around.stderr.write(
    `Secrets of ${count} organizations that are held, or live in another cell, stay under an older key: keep that one. When they are released, or forgotten here, run this again.\n`,
  )
  around.exitCode = 1
}
