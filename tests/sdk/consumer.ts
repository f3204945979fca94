/** An example of a user's program, which is compiled against the published package with the strictest options. */
import { type Asset, ConflictError, ProcessingError, Reelkeep, type ReelkeepEvent, verifyWebhook } from 'reelkeep'

const client = new Reelkeep({ url: 'https://videos.example', organization: 'acme1234', token: 't' })

/** Checking `type` narrows `data`. */
export function sentenceFor(event: ReelkeepEvent): string {
  switch (event.type) {
    case 'asset.failed':
      return `${event.data.title}: ${event.data.error?.detail}`
    case 'folder.created':
      return event.data.uuid
    default:
      return event.type
  }
}

export async function main(signal: AbortSignal): Promise<Asset | undefined> {
  const first = await client.folders.list({ q: 'lectures' }, { signal })
  const count: number = first.count
  const { results: deliveries } = await client.webhookDeliveries.list('1', { state: 'failed' })
  for await (const asset of client.assets.list({ status: ['Completed'] }))
    if (asset.video.status === 'Completed' && count + deliveries.length > 0) return asset
  await client.uploads.send(new Blob(['…']), { resolutions: ['360p'] }, { signal, partsAtOnce: 2 })
  for await (const event of client.events.list({ after: 41 })) sentenceFor(event)
  for await (const event of client.events.stream({}, { signal }))
    if (event.type === 'asset.progress') event.data.renditions.map(({ progress }) => progress)
    else sentenceFor(event)
  try {
    return await client.assets.waitUntilPlayable('1', { onProgress: ({ progress }) => progress })
  } catch (error) {
    if (error instanceof ProcessingError) error.code.toUpperCase()
    if (error instanceof ConflictError) error.requestId.toUpperCase()
    throw error
  }
}

export const received = async (request: Request): Promise<string> =>
  sentenceFor(await verifyWebhook(await request.text(), request.headers, ['whsec_…']))

// @ts-expect-error a title is a string
void client.folders.create({ title: 7 })
// @ts-expect-error unknown resolution
void client.uploadSessions.create({ title: 'x', resolutions: ['999p'] })
void client.webhooks.test('1', { idempotencyKey: 'once' })
// @ts-expect-error accepts no idempotency key
void client.assets.retry('1', { idempotencyKey: 'once' })
