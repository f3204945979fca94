/** Tests that a worker deletes the stored text of a deleted subtitle track. */
import type { subtitles } from '@reelkeep/contract'
import { Objects, openSession, resetDatabase, stackEnv, TestApi, WorkerProcess, withDatabase } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it } from 'vitest'

/** The test has its own database, because a worker claims every job in its database. */
const env = withDatabase(stackEnv(), 'subtitle_freeing')
await resetDatabase(env)
const testApi = await opened(TestApi.open({}, env))
await opened(WorkerProcess.start({ env }))
const objects = new Objects(env, testApi.context.config.STORAGE_MEDIA_BUCKET)
afterAll(() => objects[Symbol.dispose]())

it('the stored text of a deleted subtitle track is deleted soon; the text of another track stays', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await openSession(caller)
  const list = `assets/${asset.id}/subtitles/`
  const input = { language: 'de', content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nTag\n' }
  const [one, other] = [
    (await caller.post<subtitles.Subtitle>(list, input)).body,
    (await caller.post<subtitles.Subtitle>(list, input)).body,
  ]
  const keyOf = ({ id }: subtitles.Subtitle) => `${caller.organizationId}/${asset.id}/subtitles/${id}.vtt`
  expect(await objects.find(keyOf(one))).toContain('Tag')
  expect((await caller.delete(`${list}${one.id}/`)).status).toBe(204)
  await expect.poll(() => objects.find(keyOf(one))).toBeUndefined()
  expect(await objects.find(keyOf(other))).toContain('Tag')
})
