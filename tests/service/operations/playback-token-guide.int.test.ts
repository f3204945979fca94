/** Runs the code of docs/guides/playback-tokens.md unchanged; the URLs that it signs must be accepted. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { signingKeys } from '@reelkeep/contract'
import { openSession, Publisher, root, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const testApi = await opened(TestApi.open())
const publisher = await opened(Publisher.open())

const guide = readFileSync(join(root, 'docs/guides/playback-tokens.md'), 'utf8')

it('the Node backend of the guide signs URLs that the service accepts', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await openSession(caller, { content_protection_type: 'disable' })
  const video = { organizationId: caller.organizationId, assetId: asset.id }
  await publisher.showPictures(video, 'video-pictures-1', {
    ...{ cover: 'cover.jpg', thumbnails: [], storyboard: 'storyboard.vtt' },
  })
  const { body: key } = await caller.post<signingKeys.NewSigningKey>('signing-keys/', {
    name: 'Website',
  })
  const [, code = ''] = /```js\n(.*?)```/s.exec(guide) ?? []
  const call = `console.log(await playbackUrl(${JSON.stringify(asset.id)}, 'customer-42'))`
  // Runs in this folder, because the library that the code imports is installed here.
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code + call], {
    cwd: join(root, 'tests'),
    env: {
      PLAYBACK_URL: 'https://watch.example/play',
      ORGANIZATION: caller.organizationId,
      SIGNING_KEY: key.private_key,
      SIGNING_KEY_ID: key.id,
    },
  })
  const { pathname } = new URL('video-pictures-1/cover.jpg', stdout.trim())
  const request = { method: 'GET', path: pathname, headers: {}, body: undefined } as const
  expect(await testApi.send(request)).toMatchObject({ status: 200, text: 'cover.jpg' })
  await caller.delete(`signing-keys/${key.id}/`)
  expect((await testApi.send(request)).status).toBe(403)
})
