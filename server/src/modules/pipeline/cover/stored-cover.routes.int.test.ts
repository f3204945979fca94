/** Attempts at rendering a cover that overlap, or that were killed after they had stored the image. */
import type { covers } from '@reelkeep/contract'
import { PlaybackFixture, Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, expect, it } from 'vitest'
import type { AssetId, OrganizationId } from '../../../kernel/ids.ts'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type CoverFrame, customCoverKey } from '../../assets/assets.ts'
import type { PipelineDeps } from '../attempt.ts'
import { createCover } from './cover-frame.ts'
import { storeCover } from './stored-cover.ts'

const fixture = await opened(PlaybackFixture.open())
const superuser = await opened(Superuser.open())
const { media, database } = fixture.testApi.context

beforeEach(async () => {
  await fixture.begin()
  await fixture.publishAll()
  await fixture.publisher.setLength(fixture.place, 12)
})

const path = () => `assets/${fixture.place.assetId}/cover/`

/** Requests a frame as the cover, and returns the attempt of a worker at it. */
async function request(): Promise<Attempt<CoverFrame>> {
  expect((await fixture.caller.send('PUT', path(), { at_seconds: 5 })).status).toBe(200)
  const assetId = fixture.place.assetId as AssetId
  const [row] = await superuser.query<{ request: string }>(
    'select cover_request as request from assets where organization_id = $1 and id = $2',
    [fixture.place.organizationId, assetId],
  )
  const db = database.forOrganization(fixture.place.organizationId as OrganizationId)
  const { signal } = new AbortController()
  const input = { assetId, request: row?.request ?? '', atSeconds: 5 }
  return { db, input, signal, shuttingDown: signal, isLast: false } as Attempt<CoverFrame>
}

const keyOf = ({ db, input }: Attempt<CoverFrame>) => customCoverKey(db.organizationId, input.assetId, input.request)
const stored = (attempt: Attempt<CoverFrame>) => media.findText(keyOf(attempt))

it('a second attempt that ends after the first one does not delete the cover that is shown', async () => {
  const attempt = await request()
  await storeCover({ media }, attempt, { image: Buffer.from('frame'), detail: '' })
  await storeCover({ media }, attempt, { image: Buffer.from('frame'), detail: '' })
  const { url } = (await fixture.caller.get<covers.Cover>(path())).body
  const shown = { method: 'GET', path: new URL(String(url)).pathname, headers: {}, body: undefined } as const
  expect(await fixture.testApi.send(shown)).toMatchObject({ status: 200, text: 'frame' })
})

it('the image of a request that was replaced is deleted, also if its worker was killed after storing it', async () => {
  const attempt = await request()
  await media.put({ key: keyOf(attempt), body: 'frame', type: 'image/jpeg' })
  await request()
  await createCover({ media } as PipelineDeps, attempt)
  expect(await stored(attempt)).toBeUndefined()
})

it('the image of a request that was replaced while it was rendered is deleted', async () => {
  const attempt = await request()
  await request()
  await storeCover({ media }, attempt, { image: Buffer.from('frame'), detail: '' })
  expect(await stored(attempt)).toBeUndefined()
})
