/** Tests the commands for upload sessions, versions, tokens, subtitles and signing keys. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { openSession, Superuser, uploadAsset } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { CliFixture } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())
const { run, json, caller } = fixture
const { asset, upload_session: session } = await openSession(caller)

it('sessions can be listed, shown, renewed and cancelled', async () => {
  const listed = await run(['sessions', 'list', '--status', 'Created'])
  expect(listed.stdout).toMatch(new RegExp(`${session.uuid} {2}Created {2}${asset.id} {2}`))
  const shown = await run(['sessions', 'show', session.uuid])
  expect(shown.stdout).toMatch(/expires +in \d+ (minutes|hours)/)
  const renewed = await json<{ upload_session: { expires_at: string } }>(['sessions', 'renew', session.uuid])
  expect(renewed.upload_session.expires_at > session.expires_at).toBe(true)
  expect((await run(['sessions', 'cancel', session.uuid, '--yes'])).stdout).toBe(`Cancelled ${session.uuid}.\n`)
  expect(await json(['sessions', 'show', session.uuid])).toMatchObject({ status: 'Cancelled' })
})

it('versions can be uploaded, listed and activated', async () => {
  const { asset: film } = await uploadAsset(caller, { title: 'Film' })
  await using superuser = await Superuser.open()
  await superuser.query(`update assets set status = 'Completed' where id = $1`, [film.id])
  writeFileSync(join(fixture.home, 'cut.mp4'), 'a file that is longer than the first one')
  const uploaded = await run(['versions', 'upload', 'Film', 'cut.mp4'])
  expect(uploaded).toMatchObject({ code: 0, stderr: expect.stringContaining('Uploaded version 2.') })
  expect(await json(['versions', 'list', film.id])).toMatchObject([
    { number: 2, status: 'Queued', is_active: false, bytes: 40 },
    { number: 1, status: 'Completed', is_active: true },
  ])
  expect((await run(['versions', 'list', 'Film'])).stdout).toMatch(/^VERSION +STATUS +ACTIVE/)
  expect(await run(['versions', 'activate', 'Film', '2'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('It is activated automatically when it is complete.'),
  })
  await superuser.query(`update assets set status = 'Completed' where version_of = $1`, [film.id])
  expect(await json(['versions', 'activate', 'Film', '2'])).toMatchObject({ id: film.id, version: 2 })
  expect(await json(['versions', 'activate', 'Film', '1'])).toMatchObject({ id: film.id, version: 1 })
})

it('sessions create prints only the uuid or the upload token to stdout, and passes its limits on', async () => {
  const limits = ['--max-file-size', '1000', '--expires-in', '600', '--resolutions', '240p']
  const created = await json<uploadSessions.NewUploadSession>(['sessions', 'create', 'Entry', ...limits])
  expect(created).toMatchObject({ asset: { title: 'Entry', video: { resolutions: ['240p'] }, parent_id: null } })
  expect(created.upload_session.max_file_size_bytes).toBe(1000)
  expect(created).not.toHaveProperty('upload_token')
  const { stdout } = await run(['sessions', 'create', 'Entry', '--upload-token'])
  const env = { REELKEEP_URL: fixture.api.baseUrl, REELKEEP_ORGANIZATION: caller.organizationId }
  const denied = await run(['assets', 'list'], { env: { ...env, REELKEEP_TOKEN: stdout.trim() } })
  expect(denied).toMatchObject({ code: 3, stderr: expect.stringContaining('own upload session') })
  expect((await run(['sessions', 'create', 'Entry'])).stdout).toMatch(/^[0-9a-f-]{36}\n$/)
})

it('tokens create prints only the token to stdout; the token is accepted and can be revoked', async () => {
  const scopes = ['--scopes', 'folders:read,tokens:read', '--scopes', 'tokens:write']
  const created = await run(['tokens', 'create', 'For a script', ...scopes])
  const token = created.stdout.trim()
  const env = {
    REELKEEP_URL: fixture.api.baseUrl,
    REELKEEP_ORGANIZATION: caller.organizationId,
    REELKEEP_TOKEN: token,
  }
  const { id } = await json<{ id: string }>(['tokens', 'current'], { env })
  const lacking = await run(['assets', 'list'], { env })
  expect(lacking).toMatchObject({ code: 3, stderr: expect.stringContaining('reelkeep whoami') })
  expect((await run(['tokens', 'list'])).stdout).toMatch(/For a script +folders:read, tokens:read/)
  const rotated = await run(['tokens', 'rotate', id, '--overlap', '0'], { env })
  expect(rotated.stdout.trim()).not.toBe(token)
  expect((await run(['whoami'], { env })).code).toBe(3)
  const { id: newId } = await json<{ id: string }>(['tokens', 'current'], {
    env: { ...env, REELKEEP_TOKEN: rotated.stdout.trim() },
  })
  expect((await run(['tokens', 'revoke', newId])).code).toBe(2)
  expect(await json(['tokens', 'revoke', newId, '--yes'])).toEqual({ id: newId, revoked: true })
})

it('organization update changes the given settings, and organization show prints them', async () => {
  const change = ['--resolutions', '240p,360p', '--trash-days', '3', '--embed-origin', 'https://www.example.com']
  expect(await json(['organization', 'update', ...change])).toMatchObject({
    ...{ default_resolutions: ['240p', '360p'], trash_days: 3, allowed_embed_origins: ['https://www.example.com'] },
  })
  expect((await run(['organization', 'show'])).stdout).toMatch(/resolutions +240p, 360p\ntrash +3 days/)
  expect(await json(['organization', 'update', '--no-resolutions', '--no-embed-origins'])).toMatchObject({
    ...{ default_resolutions: null, trash_days: 3, allowed_embed_origins: [] },
  })
  expect((await run(['organization', 'update'])).code).toBe(2)
})

it("uploads and sessions use the organization's resolutions, and those of the CLI if it has none", async () => {
  writeFileSync(join(fixture.home, 'film.mp4'), 'a file that is long enough to be a video')
  const chosen = async () => {
    const created = await json<uploadSessions.NewUploadSession>(['sessions', 'create', 'Entry'])
    const uploaded = await json<{ asset: assets.Asset }>(['upload', 'film.mp4', '--any-type', '--no-resume'])
    return [created.asset.video.resolutions, uploaded.asset.video.resolutions]
  }
  await run(['organization', 'update', '--resolutions', '240p,360p'])
  expect(await chosen()).toEqual(Array(2).fill(['240p', '360p']))
  await run(['organization', 'update', '--no-resolutions'])
  expect(await chosen()).toEqual(Array(2).fill(['360p', '720p', '1080p']))
})

it('usage prints a row per period', async () => {
  const { results } = await json<{ results: { period: string }[] }>(['usage', '--by', 'month'])
  expect(results.at(-1)?.period).toBe(new Date().toISOString().slice(0, 7))
  expect((await run(['usage'])).stdout).toMatch(/PERIOD +ASSETS[\s\S]+\d{4}-\d\d-\d\d +\d/)
})

it('subtitles show prints an added track as WebVTT', async () => {
  const input = '1\n00:00:01,000 --> 00:00:02,000\nGood evening.\n'
  const args = ['subtitles', 'add', asset.id, '-', '--language', 'en', '--label', 'English']
  const { id } = await json<{ id: string }>(args, { input })
  expect((await run(['subtitles', 'list', asset.id])).stdout).toMatch(/en +English +uploaded/)
  expect((await run(['subtitles', 'show', asset.id, id])).stdout).toMatch(/^WEBVTT[\s\S]*evening/)
  expect((await run(['subtitles', 'delete', asset.id, id, '--yes'])).code).toBe(0)
  expect(await json(['subtitles', 'list', asset.id])).toEqual([])
})

it('subtitles replace keeps the earlier text as a version, which subtitles activate shows again', async () => {
  const inputOf = (text: string) => ({ input: `1\n00:00:01,000 --> 00:00:02,000\n${text}\n` })
  const { id } = await json<{ id: string }>(['subtitles', 'add', asset.id, '-', '--language', 'en'], inputOf('Evening'))
  const replaced = await json(['subtitles', 'replace', asset.id, id, '-'], inputOf('Night'))
  expect(replaced).toMatchObject({ id, version: 2 })
  expect((await run(['subtitles', 'versions', asset.id, id])).stdout).toMatch(/2 +yes +uploaded[\s\S]+1 +uploaded/)
  expect((await run(['subtitles', 'show', asset.id, id])).stdout).toContain('Night')
  expect((await run(['subtitles', 'show', asset.id, id, '--number', '1'])).stdout).toContain('Evening')
  expect(await json(['subtitles', 'activate', asset.id, id, '1'])).toMatchObject({ version: 1 })
  expect((await run(['subtitles', 'show', asset.id, id])).stdout).toContain('Evening')
  await json(['subtitles', 'delete', asset.id, id, '--yes'])
})

it('signing-keys create prints only the private key to stdout', async () => {
  const created = await run(['signing-keys', 'create', 'Our site'])
  expect(created.stdout).toMatch(/^-----BEGIN PRIVATE KEY-----\n[\s\S]*-----END PRIVATE KEY-----\n$/)
  const [key] = await json<{ id: string; name: string }[]>(['signing-keys', 'list'])
  expect(key).toMatchObject({ name: 'Our site' })
  await json(['signing-keys', 'delete', key?.id ?? '', '--yes'])
  expect(await json(['signing-keys', 'list'])).toEqual([])
})
