import { useEffect, useState } from 'react'
import type { Reelkeep } from 'reelkeep'
import { indexedDbStorage, UploadQueue } from 'reelkeep/queue'
import type { FeedEvent } from '../../../app/live/event-feed.ts'
import { useEvents, useFeedState } from '../../../app/live/live.tsx'
import type { Organization } from '../../../app/organization/organization-type.ts'
import { setPlayable } from './use-uploads.ts'

/**
 * Opens the user's queue while the organization is shown, and follows the processing of its videos. Each member has a
 * queue: the next user of a shared computer must not see or continue the uploads of the previous one.
 */
export function useQueue(organization: Organization | undefined): UploadQueue | undefined {
  const client = organization?.can('uploads:write') ? organization.client : undefined
  const name = organization ? `${organization.id}.${organization.membership.member_id}` : ''
  const [queue, setQueue] = useState<UploadQueue>()
  const feed = useFeedState()
  useEffect(() => {
    if (!client) return
    const opened = new UploadQueue(client, { name, storage: indexedDbStorage(`reelkeep.uploads.${name}`) })
    setQueue(opened)
    return () => {
      opened.close()
      setQueue(undefined)
    }
  }, [client, name])
  useEvents((event) => queue && void applyEvent(queue, event))
  useEffect(() => {
    // If a request fails, later events show the state.
    if (queue && client && feed !== 'lost') readMissedEvents(queue, client).catch(() => {})
  }, [queue, client, feed])
  return queue
}

async function applyEvent(queue: UploadQueue, event: FeedEvent): Promise<void> {
  const assetId = event.asset_id
  if (!assetId || event.type === 'asset.progress') return
  if (event.type === 'asset.playable') setPlayable(assetId)
  if (event.type === 'asset.completed') await queue.setProcessed(assetId, 'done')
  if (event.type === 'asset.processing') await queue.setProcessed(assetId, 'processing')
  if (event.type === 'asset.failed') await queue.setProcessed(assetId, 'failed', processingFailed)
  if (event.type === 'asset.cancelled') await queue.setProcessed(assetId, 'failed', processingCancelled)
  if (event.type === 'asset.deleted') await queue.remove(idsOf(queue, assetId))
}

const idsOf = ({ uploads }: UploadQueue, assetId: string) =>
  uploads.filter((upload) => upload.assetId === assetId).map(({ id }) => id)

const processingFailed = { name: 'ProcessingError', code: 'processing_failed', message: '' }
const processingCancelled = { name: 'ProcessingError', code: 'processing_cancelled', message: '' }

/** Identifiers per request. */
const IDS_MAX = 100

/** Reads the videos that were being processed when the page was closed or the connection was lost. */
async function readMissedEvents(queue: UploadQueue, client: Reelkeep): Promise<void> {
  await queue.ready
  const ids = queue.uploads.flatMap(({ state, assetId }) => (state === 'processing' && assetId ? [assetId] : []))
  for (let begin = 0; begin < ids.length; begin += IDS_MAX) {
    const query = { id: ids.slice(begin, begin + IDS_MAX), limit: IDS_MAX }
    for (const asset of (await client.assets.list(query)).results) await applyAsset(queue, asset)
  }
}

type Processed = {
  readonly id: string
  readonly video: { readonly status: string; readonly playback_url: string | null }
}

async function applyAsset(queue: UploadQueue, { id, video }: Processed): Promise<void> {
  if (video.playback_url) setPlayable(id)
  if (video.status === 'Completed') await queue.setProcessed(id, 'done')
  if (video.status === 'Error') await queue.setProcessed(id, 'failed', processingFailed)
}
