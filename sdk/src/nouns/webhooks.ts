import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'
import { verifyWebhook } from '../webhooks/verify.ts'

/** Addresses of yours that events are posted to. */
export const webhooks = ({ call }: Caller) => ({
  /** The answer holds the secret that requests are signed with, this once. */
  create: (body: BodyOf<'createWebhook'>, options?: CallOptions) =>
    call('createWebhook', { body }, options),

  list: (query: QueryOf<'listWebhooks'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listWebhooks', { query: { ...query, ...cursor } }, options)),

  read: (id: string, options?: UnkeyedOptions) =>
    call('readWebhook', { params: { webhook_id: id } }, options),

  /** Its address, what it is told, and whether it is told anything (`enabled`). */
  update: (id: string, body: BodyOf<'updateWebhook'>, options?: UnkeyedOptions) =>
    call('updateWebhook', { params: { webhook_id: id }, body }, options),

  delete: (id: string, options?: UnkeyedOptions) =>
    call('deleteWebhook', { params: { webhook_id: id } }, options),

  /** A new secret; for a day, or for `overlap_seconds`, requests are signed with both. */
  rotateSecret: (id: string, body: BodyOf<'rotateWebhookSecret'> = {}, options?: CallOptions) =>
    call('rotateWebhookSecret', { params: { webhook_id: id }, body }, options),

  /** Has it told an event `webhook.test`. */
  test: (id: string, options?: CallOptions) =>
    call('testWebhook', { params: { webhook_id: id } }, options),

  /** Has all events of a stretch of the log told again. */
  replay: (id: string, body: BodyOf<'replayEvents'>, options?: UnkeyedOptions) =>
    call('replayEvents', { params: { webhook_id: id }, body }, options),

  /** Whether a request that came to your server is from Reelkeep, and the event in it. */
  verify: verifyWebhook,
})
