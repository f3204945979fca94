/** Which assets a move copies again, because they may have new objects since it began. */
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type Caller, openOwner, openSession, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import type { Timestamp } from '../../kernel/time.ts'
import { selectChangedAssets } from './organization-state.store.ts'

const testApi = await opened(TestApi.open())
const owner = await opened(Promise.resolve(openOwner()))
const superuser = await opened(Superuser.open())

let caller: Caller
let assetId: string
let track: string
beforeEach(async () => {
  caller = await testApi.newOrganization()
  assetId = (await openSession(caller)).asset.id
  const added = await caller.post<{ id: string }>(`assets/${assetId}/subtitles/`, {
    ...{ language: 'de', content: textOf('Tag') },
  })
  track = `assets/${assetId}/subtitles/${added.body.id}/`
})

const textOf = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`
const changedSince = (since: Timestamp) => selectChangedAssets(owner, caller.organizationId as OrganizationId, since)

it('an asset is copied again if the text of a subtitle track was replaced, also if it did not change otherwise', async () => {
  const organization = [caller.organizationId]
  for (const [table, column] of [
    ['assets', 'updated_at'],
    ['asset_happenings', 'at'],
    ['subtitle_tracks', 'created_at'],
  ])
    await superuser.query(
      `update ${table} set ${column} = ${column} - interval '1 day' where organization_id = $1`,
      organization,
    )
  const [{ now } = { now: '' as Timestamp }] = await superuser.query<{ now: Timestamp }>(
    `select (now() - interval '1 hour')::text as now`,
  )
  expect(await changedSince(now)).toEqual([])
  const [before] = await changedSince('1970-01-01T00:00:00Z' as Timestamp)
  expect((await caller.put(track, { content: textOf('Nacht') })).status).toBe(200)
  const [after, ...others] = await changedSince(now)
  expect([after?.id, others]).toEqual([assetId, []])
  expect(after?.published).not.toBe(before?.published)
})
