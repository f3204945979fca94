/**
 * A service on a storage without forms and without versions, as its users meet it: the command
 * line, the SDK beneath it, and both doctors.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  partsOnly,
  resetDatabase,
  StorageRelay,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
  withoutFormsAndVersions,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { CommandStage } from './command.ts'
import { doctor, serverDoctorHere } from './doctor-stage.ts'

const relay = await opened(StorageRelay.open(stackEnv().STORAGE_ENDPOINT))
const lesser = () => {
  relay.forget()
  relay.fateOf = withoutFormsAndVersions
}
lesser()
const env = { ...withDatabase(stackEnv(), 'parts_only_cli'), STORAGE_ENDPOINT: relay.url }
const settings = {
  STORAGE_UPLOADS_BUCKET: 'reelkeep-parts-only-cli',
  STORAGE_MEDIA_BUCKET: 'reelkeep-parts-only-cli-media',
  API_ORIGINS: 'https://studio.example',
  ...partsOnly,
}
await Promise.all([resetDatabase(env), setUpUploads(env, settings)])
const stage = await opened(CommandStage.open(settings, env))
const worker = {
  STORAGE_UPLOADS_BUCKET: settings.STORAGE_UPLOADS_BUCKET,
  STORAGE_MEDIA_BUCKET: settings.STORAGE_MEDIA_BUCKET,
  ...partsOnly,
}
await opened(WorkerProcess.start({ settings: worker, env }))
beforeEach(lesser)

const formsPosted = () =>
  relay.asked.filter(({ method, path }) => method === 'POST' && !path.includes('?'))
const asksAboutVersions = () => relay.asked.filter(({ path }) => /version/.test(path))

describe('reelkeep upload', () => {
  it('sends a small file in parts, and its video is made', async () => {
    await promisify(execFile)('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=2'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', join(stage.home, 'film.mp4')],
    ])
    const { code, stderr } = await stage.run([
      ...['upload', 'film.mp4', '--resolutions', '240p', '--watch'],
    ])
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(formsPosted()).toEqual([])
    expect(asksAboutVersions()).toEqual([])
  })
})

describe('the doctors', () => {
  it('find nothing wrong with it', async () => {
    const { organizationId, token } = stage.caller
    const who = { url: stage.api.baseUrl, organizationId, token }
    const outside = await doctor(who, ['--quick', '--origin', settings.API_ORIGINS])
    expect([...outside.faults, ...outside.warnings]).toEqual([])
    expect(outside.findings.map(({ state }) => state)).not.toContain('skipped')
    const inside = await serverDoctorHere({ env, settings })
    expect(inside.faults).toEqual([])
    expect(formsPosted()).toEqual([])
  })
})
