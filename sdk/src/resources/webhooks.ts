import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'
import { verifyWebhook } from '../webhooks/verify.ts'

/** Webhooks: your URLs to which events are posted. */
export const webhooks = ({ call }: Caller) => ({
  /** Returns the signing secret, which is shown only once. */
  create: (body: BodyOf<'createWebhook'>, options?: CallOptions) => call('createWebhook', { body }, options),

  list: (query: QueryOf<'listWebhooks'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listWebhooks', { query: { ...query, ...cursor } }, options)),

  read: (id: string, options?: UnkeyedOptions) => call('readWebhook', { params: { webhook_id: id } }, options),

  /** Changes the URL, the event types, the description, or whether the webhook is `enabled`. */
  update: (id: string, body: BodyOf<'updateWebhook'>, options?: UnkeyedOptions) =>
    call('updateWebhook', { params: { webhook_id: id }, body }, options),

  delete: (id: string, options?: UnkeyedOptions) => call('deleteWebhook', { params: { webhook_id: id } }, options),

  /**
   * Creates a new secret. Requests are signed with the old and the new secret for `overlap_seconds` (default: one day).
   */
  rotateSecret: (id: string, body: BodyOf<'rotateWebhookSecret'> = {}, options?: CallOptions) =>
    call('rotateWebhookSecret', { params: { webhook_id: id }, body }, options),

  /** Sends an event `webhook.test`. */
  test: (id: string, options?: CallOptions) => call('testWebhook', { params: { webhook_id: id } }, options),

  /** Delivers all events of a range of the log again. */
  replay: (id: string, body: BodyOf<'replayEvents'>, options?: UnkeyedOptions) =>
    call('replayEvents', { params: { webhook_id: id }, body }, options),

  /** Verifies a request to your server and returns its event. */
  verify: verifyWebhook,
})
