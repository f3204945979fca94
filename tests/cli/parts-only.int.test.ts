/** Tests the CLI, the SDK and both doctors with storage that supports neither form uploads nor versions. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  HttpProxy,
  partsOnly,
  partsOnlyRule,
  resetDatabase,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'
import { doctor, serverDoctorHere } from './doctor-fixture.ts'

const storageProxy = await opened(HttpProxy.open(stackEnv().STORAGE_ENDPOINT))
const lesser = () => {
  storageProxy.reset()
  storageProxy.rules = [partsOnlyRule]
}
lesser()
const env = { ...withDatabase(stackEnv(), 'parts_only_cli'), STORAGE_ENDPOINT: storageProxy.url }
const settings = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-parts-only-cli',
  STORAGE_MEDIA_BUCKET: 'reelkeep-parts-only-cli-media',
  API_ORIGINS: 'https://studio.example',
  ...partsOnly,
}
await Promise.all([resetDatabase(env), setUpUploads(env, settings)])
const fixture = await opened(CliFixture.open(settings, env))
const worker = {
  STORAGE_UPLOADS_BUCKET: settings.STORAGE_UPLOADS_BUCKET,
  STORAGE_MEDIA_BUCKET: settings.STORAGE_MEDIA_BUCKET,
  ...partsOnly,
}
await opened(WorkerProcess.start({ settings: worker, env }))
beforeEach(lesser)

const formsPosted = () => storageProxy.requests.filter(({ method, path }) => method === 'POST' && !path.includes('?'))
const asksAboutVersions = () => storageProxy.requests.filter(({ path }) => /version/.test(path))

describe('reelkeep upload to storage without forms', () => {
  it('sends a small file in parts, and the service processes it', async () => {
    await promisify(execFile)('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=2'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', join(fixture.home, 'film.mp4')],
    ])
    const { code, stderr } = await fixture.run([...['upload', 'film.mp4', '--resolutions', '240p', '--watch']])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(formsPosted()).toEqual([])
    expect(asksAboutVersions()).toEqual([])
  })
})

describe('the doctors of the CLI and the server with storage without forms', () => {
  it('report no failures', async () => {
    const { organizationId, token } = fixture.caller
    const who = { url: fixture.api.baseUrl, organizationId, token }
    const outside = await doctor(who, ['--quick', '--origin', settings.API_ORIGINS])
    expect([...outside.failures, ...outside.warnings]).toEqual([])
    expect(outside.results.map(({ status }) => status)).not.toContain('skipped')
    const inside = await serverDoctorHere({ env, settings })
    expect(inside.failures).toEqual([])
    expect(formsPosted()).toEqual([])
  })
})
