/** Events about subtitle tracks that callers add and that pipeline steps create. */

import type { AssetId, OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type Asset, lockAsset } from '@reelkeep/server/modules/assets/assets.ts'
import { processAgain } from '@reelkeep/server/modules/pipeline/pipeline.ts'
import { publishEmbedded, publishGenerated } from '@reelkeep/server/modules/subtitles/subtitles.ts'
import type { OrganizationDb } from '@reelkeep/server/platform/db/database.ts'
import { type Caller, openOwner, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))

const recorder = newEventRecorder()
let caller: Caller
let assetId: string
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  assetId = (await openSession(caller)).asset.id
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('subtitle')).toEqual([]))

const german = { language: 'de', content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n' }

const add = async (headers = {}) =>
  (await caller.post<{ id: string }>(`assets/${assetId}/subtitles/`, german, headers)).body.id

/** Publishes a track like a pipeline step. */
const publish = (work: (tx: OrganizationDb, asset: Asset) => Promise<void>) =>
  owner
    .forOrganization(caller.organizationId as OrganizationId)
    .transaction(async (tx) => work(tx, await lockAsset(tx, assetId as AssetId)))

const tracks = async () =>
  (await eventLog.next()).map(({ type, data }) => {
    const { origin, label } = data as { origin: string; label: string }
    return [type, origin, label]
  })

describe('events about a subtitle track', () => {
  it('are recorded when it is added and deleted', async () => {
    const id = await add()
    await caller.delete(`assets/${assetId}/subtitles/${id}/`)
    const data = { id, asset_id: assetId, language: 'de', label: 'Deutsch', origin: 'uploaded' }
    expect(await eventLog.next()).toMatchObject([
      { type: 'subtitle.created', asset_id: assetId, data },
      { type: 'subtitle.deleted', asset_id: assetId, data },
    ])
  })

  it('are recorded when its text is replaced and when another version is activated, but not if nothing changes', async () => {
    const id = await add()
    const track = `assets/${assetId}/subtitles/${id}/`
    const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Morgen\n'
    for (const _ of ['changes', 'is the same']) expect((await caller.put(track, { content })).status).toBe(200)
    for (const _ of ['changes', 'is the same'])
      expect((await caller.post(`${track}versions/1/activate/`)).status).toBe(200)
    const data = { id, asset_id: assetId, language: 'de', label: 'Deutsch', origin: 'uploaded' }
    expect(await eventLog.next()).toMatchObject([
      { type: 'subtitle.created', asset_id: assetId, data },
      { type: 'subtitle.updated', asset_id: assetId, data: { ...data, version: 2 } },
      { type: 'subtitle.updated', asset_id: assetId, data: { ...data, version: 1 } },
    ])
  })

  it('are recorded when it is transcribed or extracted, and when a new transcript replaces it', async () => {
    await publish((tx, asset) => publishGenerated(tx, asset, { language: 'en', key: 'a-1/a.vtt' }))
    await publish((tx, asset) =>
      publishEmbedded(tx, asset, [
        { language: 'fr', label: 'Forced', key: 'b-2/1.vtt' },
        { language: 'de', key: 'b-2/2.vtt' },
      ]),
    )
    await publish((tx, asset) => publishGenerated(tx, asset, { language: 'en', key: 'a-3/a.vtt' }))
    expect(await tracks()).toEqual([
      ['subtitle.created', 'generated', 'English'],
      ['subtitle.created', 'embedded', 'Forced'],
      ['subtitle.created', 'embedded', 'Deutsch'],
      ['subtitle.deleted', 'generated', 'English'],
      ['subtitle.created', 'generated', 'English'],
    ])
  })

  it('report its deletion when the file is processed again, unless a caller added it', async () => {
    assetId = (await uploadAsset(caller)).asset.id
    await add()
    await publish((tx, asset) => publishGenerated(tx, asset, { language: 'en', key: 'a-1/a.vtt' }))
    await publish((tx, asset) => publishEmbedded(tx, asset, [{ language: 'de', key: 'b-2/1.vtt' }]))
    await eventLog.next()
    await publish(async (tx, { id }) => void (await processAgain(tx, id)))
    expect((await tracks()).filter(([type]) => type === 'subtitle.deleted')).toEqual([
      ['subtitle.deleted', 'generated', 'English'],
      ['subtitle.deleted', 'embedded', 'Deutsch'],
    ])
  })
})

describe('no event is recorded', () => {
  it('for a rejected or rolled back request', async () => {
    const unknown = '018f2c1e-0000-7000-8000-000000000000'
    const rejected = [
      await caller.post(`assets/${assetId}/subtitles/`, { ...german, content: 'no text' }),
      await caller.delete(`assets/${assetId}/subtitles/${unknown}/`),
    ]
    expect(rejected.map(({ status }) => status)).toEqual([400, 404])
    const undone = publish(async (tx, asset) => {
      await publishGenerated(tx, asset, { language: 'en', key: 'a-1/a.vtt' })
      throw new Error('rolled back by the test')
    })
    await expect(undone).rejects.toThrow('rolled back by the test')
    expect(await eventLog.next()).toEqual([])
  })

  it('again for a request repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': 'a' }
    expect(await add(key)).toBe(await add(key))
    expect(await eventLog.nextTypes()).toEqual(['subtitle.created'])
  })

  it('for another organization, and no event contains the storage key of the text', async () => {
    const neighbour = await recorder.open(await testApi.newOrganization())
    await add()
    expect(JSON.stringify(await eventLog.next())).not.toContain(`${caller.organizationId}/`)
    expect(await neighbour.next()).toEqual([])
  })
})
