/** Rows in every table, for tests. */

import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { countEdgeLog } from '@reelkeep/server/modules/usage/usage.ts'
import type { Database } from '@reelkeep/server/platform/db/database.ts'
import { enqueueJob } from '@reelkeep/server/platform/jobs/enqueue.ts'
import { type Caller, newMember, openSession, type Publisher, type Superuser, uploadAsset } from '@reelkeep/testkit'

type Tools = { readonly superuser: Superuser; readonly publisher: Publisher; readonly owner: Database }

const plan = {
  ...{ durationSeconds: 12, frameRate: { numerator: 30, denominator: 1 }, segmentFrames: 120, gopFrames: 120 },
  audio: null,
  tracks: [{ name: '240p', width: 426, height: 240, bitrateMax: 4e5, segmentsTotal: 3, codecs: 'avc1.64000d' }],
}

/** Rows that only the pipeline, viewers or webhooks create. $1 is the organization, $2 an asset. */
const otherRows = [
  'insert into asset_versions (organization_id, asset_id, number, media_id) values ($1, $2, 1, $2)',
  // A version of the asset.
  'update assets set version_of = $2, is_listed = false where organization_id = $1 and id <> $2',
  `insert into asset_probes values ($1, $2, '{}')`,
  'insert into asset_clips values ($1, $2, $2, $2, 0, 30, 30, 1, 120)',
  'insert into asset_trims values ($1, $2, $2, 0, 20, 0, 30, 30, 1, 120)',
  `insert into moment_embeddings (organization_id, asset_id, source, number, model, fingerprint)
   select organization_id, asset_id, source, number, 1, 0::bit(1024) from moments
   where organization_id = $1 and asset_id = $2`,
  'insert into asset_protections values ($1, $2, 1)',
  `insert into asset_drm values ($1, $2, 'clearkey', 'cenc', '[]', '[]', repeat('0', 64))`,
]

const withoutAsset = [
  `insert into organization_master_keys values ($1, 1, 'key', decode(repeat('00', 60), 'hex'))`,
  `insert into spent_passes (organization_id, jti, expires_at) values ($1, 'x', now())`,
  `insert into webhook_deliveries (organization_id, webhook_id, number, numbered_at, event_id, type, subject, due_at)
   values ($1, gen_random_uuid(), 1, now(), gen_random_uuid(), 'asset.created', 'x', now())`,
  `insert into webhook_attempts (organization_id, webhook_id, number, numbered_at, attempt, at, url, milliseconds)
   values ($1, gen_random_uuid(), 1, now(), 1, now(), 'https://example.com', 1)`,
  `insert into shared_counters.rate_limits values ('organization:' || $1, 1, now())`,
]

/** Creates what an organization can have: rows in every table, objects in both buckets, a job. */
export async function fillTables(caller: Caller, { superuser, publisher, owner }: Tools): Promise<void> {
  const id = caller.organizationId as OrganizationId
  const { asset } = await uploadAsset(caller, { tags: ['physics'] })
  const place = { organizationId: id, assetId: asset.id }
  await publisher.plan(place, plan)
  const segments = [{ body: 'segment', seconds: 4 }]
  await publisher.publish(place, { track: '240p', firstSegment: 0, attempt: 'video-encode-1', init: 'init', segments })
  await superuser.query('update assets set duration_seconds = 12 where id = $1', [asset.id])
  const member = await newMember(superuser, caller)
  await createByApi(caller, asset.id, member.id)
  for (const text of withoutAsset) await superuser.query(text, [id])
  for (const text of otherRows) await superuser.query(text, [id, asset.id])
  await countEdgeLog(owner.forOrganization(id), Buffer.alloc(32), [])
  await enqueueJob(owner.forOrganization(id), { name: 'a-job', queue: 'light' }, { input: {} })
  // Last, because every further request would move it to the log.
  await superuser.query(
    `insert into event_outbox (organization_id, type, subject, data) values ($1, 'asset.updated', 'x', '{}')`,
    [id],
  )
}

async function createByApi(caller: Caller, assetId: string, memberId: string): Promise<void> {
  const post = async <Body>(path: string, body: object, headers = {}) => {
    const response = await caller.post<Body>(path, body, headers)
    if (response.status > 201) throw new Error(`${path}: ${response.text}`)
    return response.body
  }
  const outer = await post<{ uuid: string }>('assets/folders/', { title: 'outer' }, { 'idempotency-key': 'one' })
  const inner = await post<{ uuid: string }>('assets/folders/', { title: 'inner', parent: outer.uuid })
  await openSession(caller, { folder: inner.uuid })
  await post(`assets/${assetId}/chapters/`, { chapters: [{ title: 'Begin', start_time: '00:00:00' }] })
  const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n'
  const tracks = `assets/${assetId}/subtitles/`
  const track = await post<{ id: string }>(tracks, { language: 'en', label: 'English', content })
  const replaced = await caller.put(`${tracks}${track.id}/`, { content: content.replace('Hello', 'Goodbye') })
  if (replaced.status !== 200) throw new Error(`PUT ${tracks}: ${replaced.text}`)
  await post(`assets/${assetId}/access-tokens/`, { expires_in_seconds: 600 })
  await post('signing-keys/', { name: 'Website' })
  await post('roles/', { name: 'Translators', scopes: ['assets:read'] })
  await post('invitations/', { email: 'kim@example.org', role: 'viewer' })
  await post(`members/${memberId}/recovery-link/`, {})
  // Moves the audit entries to the log; those of later requests wait.
  await caller.get('audit/')
  await post('bulk-operations/', { action: 'add_tags', ids: [assetId], tags: ['new'] })
  await caller.get('events/')
  await post('webhooks/', { url: 'https://receiver.example/', types: ['asset.*'] })
  await caller.patch(`assets/${assetId}/`, { description: 'changed' })
}
