/** Tracks created by pipeline steps. */
import { type Caller, openOwner, openSession, TestApi, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type Asset, requireAsset, storagePrefix } from '../assets/assets.ts'
import { deleteLostOutputs } from '../pipeline/outputs.ts'
import { processAgain } from '../pipeline/pipeline.ts'
import { addTrack, publishEmbedded, publishGenerated, readTrackText, storeText, tracksOf } from './subtitles.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const { media } = testApi.context

let caller: Caller
let db: OrganizationDb
let asset: Asset
beforeEach(async () => {
  caller = await testApi.newOrganization()
  db = owner.forOrganization(caller.organizationId as OrganizationId)
  asset = await requireAsset(db, (await openSession(caller)).asset.id as AssetId)
})

const german = {
  language: 'de',
  label: undefined,
  content: 'WEBVTT\n\n00:00.000 --> 00:01.000\nx\n',
}
const addGerman = async () => addTrack(db, asset.id, await storeText(testApi.context, db, asset.id, german))
const tracks = async () => {
  const [rows] = await db.run(tracksOf({ assetId: asset.id }))
  return rows.map(({ origin, language, label, key }) => [origin, language, label, key])
}

it('publishing tracks replaces earlier tracks of the same origin and nothing else', async () => {
  await addGerman()
  const uploaded = (await tracks())[0]
  await publishGenerated(db, asset, { language: 'en', key: 'a-1/subtitles.vtt' })
  await publishEmbedded(db, asset, [
    { language: 'fr', label: 'Forced', key: 'b-2/2.vtt' },
    { language: 'und', key: 'b-2/3.vtt' },
  ])
  await publishGenerated(db, asset, { language: 'en', key: 'a-3/subtitles.vtt' })
  await publishEmbedded(db, asset, [{ language: 'und', key: 'b-4/3.vtt' }])
  expect(await tracks()).toEqual([
    uploaded,
    ['generated', 'en', 'English', 'a-3/subtitles.vtt'],
    ['embedded', 'und', 'Subtitles', 'b-4/3.vtt'],
  ])
})

it('publishing more tracks than the limit allows keeps the uploaded tracks', async () => {
  const many = Array.from({ length: 60 }, (_, index) => ({
    language: 'und',
    key: `b-1/${index}.vtt`,
  }))
  await publishEmbedded(db, asset, many)
  expect(await tracks()).toHaveLength(50)
  await publishEmbedded(db, asset, [])
  await addGerman()
  await publishEmbedded(db, asset, many)
  expect((await tracks()).map(([origin]) => origin).filter((one) => one === 'uploaded')).toHaveLength(1)
  expect(await tracks()).toHaveLength(50)
})

it('an uploaded track is kept when the leftovers of lost attempts are deleted', async () => {
  const { id } = await addGerman()
  const lost = `${storagePrefix(db.organizationId, asset.id)}video-probe-7/probe.json`
  await media.put({ key: lost, body: '{}', type: 'application/json' })
  await deleteLostOutputs(media, db, { assetId: asset.id, signal: new AbortController().signal })
  expect(await media.findText(lost)).toBeUndefined()
  expect((await readTrackText(media, db, asset.id, id)).text).toContain('WEBVTT')
})

it('a retry removes produced tracks before their texts', async () => {
  asset = await requireAsset(db, (await uploadAsset(caller)).asset.id as AssetId)
  const uploaded = await addGerman()
  const produced = async (name: string) => {
    const key = `${storagePrefix(db.organizationId, asset.id)}${name}`
    await media.put({ key, body: german.content, type: 'text/vtt' })
    return { language: 'en', key }
  }
  await publishGenerated(db, asset, await produced('video-transcribe-7/subtitles.vtt'))
  await publishEmbedded(db, asset, [await produced('video-carry-subtitles-8/2.vtt')])
  expect(await processAgain(db, asset.id)).toBe(true)
  await deleteLostOutputs(media, db, { assetId: asset.id, signal: new AbortController().signal })
  // Only the uploaded track is left, because the retry may produce other tracks.
  const [listed] = await db.run(tracksOf({ assetId: asset.id }))
  expect(listed.map(({ id }) => id)).toEqual([uploaded.id])
  expect((await readTrackText(media, db, asset.id, uploaded.id)).text).toContain('WEBVTT')
})
