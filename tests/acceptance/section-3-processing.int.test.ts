/** The states of a video after its upload. */
import type { assets } from '@reelkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'
import { expectProblem } from './problems.ts'
import { type Asset, newFile, newSession, type Opened } from './uploads.ts'
import { assetBecomes, PROCESSED_MILLISECONDS_MAX, uploadFile, videoOf } from './videos.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.openSwept()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const slow = { timeout: PROCESSED_MILLISECONDS_MAX }
const upload = (file: Buffer) => uploadFile(deployment.mine, deployment.unique(), file)
const isOver = ({ status }: Asset['video']) => status === 'Completed' || status === 'Error'
const over = (opened: Opened) => assetBecomes(deployment.mine, opened, isOver)
const cancel = (id: string) => deployment.mine.post<Asset>(`assets/${id}/cancel/`)
const retry = (id: string) => deployment.mine.post<Asset>(`assets/${id}/retry/`)

async function timeline({ asset }: Opened): Promise<assets.Timeline> {
  const { status, body } = await deployment.mine.get<assets.Timeline>(`assets/${asset.id}/timeline/`)
  expect(status).toBe(200)
  return body
}

describe('3. A video', () => {
  it('[3.3] a video goes from Queued through Processing to Completed, and never back', slow, async () => {
    const { asset, seen } = await over(await upload(videoOf(600)))
    expect(asset.video).toMatchObject({ status: 'Completed', progress: 100, error: null })
    const order = ['Queued', 'Processing', 'Completed']
    expect(seen).toEqual(order.filter((status) => seen.includes(status)))
  })

  it('[3.3] duration and frame size are known once the video has been probed', slow, async () => {
    const opened = await upload(videoOf(10.5))
    expect(opened.asset.video).toMatchObject({ duration: null, width: null, height: null })
    const { asset } = await over(opened)
    expect(asset.video.duration).toBeCloseTo(10.5, 1)
    expect(asset.video.width).toBeGreaterThan(0)
    expect(asset.video.height).toBeGreaterThan(0)
  })

  it('[3.3] the timeline lists all entries in order, and nothing is pending at the end', slow, async () => {
    const opened = await upload(videoOf(10.5))
    await over(opened)
    const { entries, pending } = await timeline(opened)
    const expected = [
      ...['created', 'uploaded', 'processing_started', 'probed', 'planned', 'playable'],
      ...['pictures_chosen', 'completed'],
    ]
    expect(entries.map(({ what }) => what)).toEqual(expected)
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
    expect(entries.every(({ detail }) => /^[A-Z].*\.$/.test(detail))).toBe(true)
    expect(pending).toBeNull()
  })

  it('[3.3] assets can be filtered by status', slow, async () => {
    const title = deployment.unique()
    const opened = await uploadFile(deployment.mine, title, videoOf(10.5))
    await over(opened)
    for (const [status, ids] of [
      ['Completed', [opened.asset.id]],
      ['Error', []],
    ] as const) {
      const list = await deployment.mine.get<{ results: Asset[] }>(`assets/?q=${title}&status=${status}`)
      expect(list.body.results.map(({ id }) => id)).toEqual(ids)
    }
  })
})

describe('3. A file that is not a video', () => {
  const playlist = Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n')

  it.for([
    ['random bytes', newFile(5000), /^(not_a_video|container_not_supported|file_damaged)$/],
    ['a playlist that names another file', playlist, /^not_a_video$/],
    ['a video that is cut off', videoOf(600).subarray(0, 3000), /^file_damaged$/],
  ] as const)('[3.3] ends in Error with a code and a detail: %s', slow, async ([, file, code]) => {
    const opened = await upload(Buffer.from(file))
    const { asset } = await over(opened)
    expect(asset.video).toMatchObject({ status: 'Error', duration: null })
    expect(asset.video.error?.code).toMatch(code)
    expect(asset.video.error?.detail).toMatch(/^[A-Z].{20,}\.$/)
    expect((await timeline(opened)).entries.at(-1)?.what).toBe(asset.video.error?.code)
  })

  it('[3.3] can be retried and fails again', slow, async () => {
    const opened = await upload(playlist)
    await over(opened)
    const { status, body } = await retry(opened.asset.id)
    expect(status).toBe(200)
    expect(body.video).toMatchObject({ status: 'Queued', error: null })
    const { asset } = await over(opened)
    expect(asset.video.error?.code).toBe('not_a_video')
    const failures = (await timeline(opened)).entries.filter(({ what }) => what === 'not_a_video')
    expect(failures).toHaveLength(2)
  })
})

describe('3. Cancelling and retrying', () => {
  it('[3.3] 409: a Completed video can be neither cancelled nor retried', slow, async () => {
    const opened = await upload(videoOf(10.5))
    await over(opened)
    expectProblem(await cancel(opened.asset.id), 'nothing_to_cancel')
    expectProblem(await retry(opened.asset.id), 'nothing_to_retry')
  })

  it('[3.3] 409: an asset without a file can be neither cancelled nor retried', async () => {
    const { asset } = await newSession(deployment.mine, deployment.unique())
    expectProblem(await cancel(asset.id), 'nothing_to_cancel')
    expectProblem(await retry(asset.id), 'nothing_to_retry')
  })

  it(
    '[3.3] a cancelled video is Cancelled, or Completed if it finished first, and a retry completes it',
    slow,
    async () => {
      const opened = await upload(videoOf(10.5))
      const { status, body } = await cancel(opened.asset.id)
      if (status === 200) {
        expect(body.video.status).toBe('Cancelled')
        expect((await retry(opened.asset.id)).status).toBe(200)
      } else expect(status).toBe(409)
      const { asset } = await over(opened)
      expect(asset.video.status).toBe('Completed')
      const { entries } = await timeline(opened)
      expect(entries.filter(({ what }) => what === 'completed')).toHaveLength(1)
    },
  )

  it('[3.3] 404: an asset of another organization can be neither cancelled nor retried', async () => {
    const { asset } = await newSession(deployment.other, deployment.unique())
    expectProblem(await cancel(asset.id), 'asset_not_found')
    expectProblem(await retry(asset.id), 'asset_not_found')
  })
})
