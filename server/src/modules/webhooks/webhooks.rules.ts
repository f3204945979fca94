import { webhooks as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { WebhookId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'

/** A webhook without its secrets. */
export type Webhook = {
  readonly id: WebhookId
  readonly url: string
  readonly description: string
  readonly types: readonly string[]
  readonly disabledAt: Timestamp | null
  readonly disabledReason: string | null
  readonly failingSince: Timestamp | null
  /** Expiry of the previous secret; null unless that secret is still valid. */
  readonly previousSecretUntil: Timestamp | null
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly expiresAt: Timestamp | null
} & CreatorRow

export function assertRoomForWebhook(webhooks: number): void {
  if (webhooks < contract.WEBHOOKS_MAX) return
  throw refused(
    'webhook_limit_reached',
    `An organization can have at most ${contract.WEBHOOKS_MAX} webhooks. Delete one first.`,
  )
}

export function assertEnabled({ disabledAt }: Pick<Webhook, 'disabledAt'>): void {
  if (disabledAt === null) return
  throw refused('webhook_disabled', 'This webhook is disabled or has expired. Enable it first.')
}

export const webhookNotFound = () => refused('webhook_not_found', 'The webhook does not exist in this organization.')
