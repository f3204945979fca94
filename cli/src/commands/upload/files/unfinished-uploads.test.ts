import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { UnfinishedUploads, type UploadIdentity } from './unfinished-uploads.ts'

const identity: UploadIdentity = {
  url: 'https://videos.example',
  organization: 'acme12',
  realPath: '/videos/talk.mp4',
  sizeBytes: 5,
  modifiedAtMilliseconds: 1.5,
  settings: { title: 'Talk', folder: null, resolutions: ['360p'] },
}
const upload = { sessionUuid: 'one' }

let home: string
let unfinishedUploads: UnfinishedUploads
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reelkeep-state-'))
  unfinishedUploads = new UnfinishedUploads({ XDG_STATE_HOME: home })
})
afterEach(() => rm(home, { recursive: true }))

const folder = () => join(home, 'reelkeep/unfinished-uploads')
const files = async () => (await readdir(folder())).map((name) => join(folder(), name))

it('a saved upload is found until it is removed', async () => {
  expect(await unfinishedUploads.find(identity)).toBeUndefined()
  await unfinishedUploads.save(identity, upload)
  expect(await unfinishedUploads.find(identity)).toEqual(upload)
  await unfinishedUploads.remove(identity)
  expect(await unfinishedUploads.find(identity)).toBeUndefined()
  await unfinishedUploads.remove(identity)
})

it('saved uploads are distinguished by file, service and settings', async () => {
  await unfinishedUploads.save(identity, upload)
  const others = [
    { url: 'https://other.example' },
    { organization: 'other1' },
    { realPath: '/videos/talk2.mp4' },
    { sizeBytes: 6 },
    { modifiedAtMilliseconds: 2 },
    { settings: { ...identity.settings, folder: 'abcdefghijk' } },
  ]
  for (const other of others) expect(await unfinishedUploads.find({ ...identity, ...other })).toBeUndefined()
})

it('files of saved uploads can be read only by their owner', async () => {
  await unfinishedUploads.save(identity, upload)
  const [file = ''] = await files()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder())).mode & 0o777).toBe(0o700)
})

it('files of saved uploads are replaced atomically', async () => {
  await unfinishedUploads.save(identity, upload)
  const writing = Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      unfinishedUploads.save({ ...identity, sizeBytes: index % 2 }, { sessionUuid: String(index) }),
    ),
  )
  let samples = 0
  const isSessionOver = writing.then(() => true)
  while (!(await Promise.race([isSessionOver, Promise.resolve(false)])) && samples++ < 1000)
    expect(await unfinishedUploads.find(identity)).toEqual(upload)
  await writing
  expect(await files()).toHaveLength(3)
})

it('hasAny returns whether there is an upload to resume', async () => {
  expect(await unfinishedUploads.find(identity)).toBeUndefined()
  expect(unfinishedUploads.hasAny()).toBe(false)
  await unfinishedUploads.save(identity, upload)
  expect(unfinishedUploads.hasAny()).toBe(true)
  await unfinishedUploads.remove(identity)
  expect(unfinishedUploads.hasAny()).toBe(false)
  await unfinishedUploads.save(identity, upload)
  const later = new UnfinishedUploads({ XDG_STATE_HOME: home })
  expect([later.hasAny(), await later.find(identity), later.hasAny()]).toEqual([false, upload, true])
})

it('a completed upload is found until completed uploads are removed; incomplete uploads stay', async () => {
  const other = { ...identity, sizeBytes: 6 }
  await unfinishedUploads.save(identity, upload)
  await unfinishedUploads.save(other, upload)
  unfinishedUploads.complete(identity)
  expect(await new UnfinishedUploads({ XDG_STATE_HOME: home }).find(identity)).toEqual(upload)
  await unfinishedUploads.removeCompleted()
  expect([await unfinishedUploads.find(identity), await unfinishedUploads.find(other)]).toEqual([undefined, upload])
})

it('hasAny does not count completed uploads', async () => {
  await unfinishedUploads.save(identity, upload)
  unfinishedUploads.complete(identity)
  expect(unfinishedUploads.hasAny()).toBe(false)
})

it('invalid files of saved uploads are ignored', async () => {
  await unfinishedUploads.save(identity, upload)
  const [file = ''] = await files()
  for (const text of ['', '{', '[]', 'null', '{"sessionUuid": 1}']) {
    await writeFile(file, text)
    expect(await unfinishedUploads.find(identity)).toBeUndefined()
  }
})

it('saved uploads that are older than any session are removed', async () => {
  await unfinishedUploads.save(identity, upload)
  await unfinishedUploads.save({ ...identity, sizeBytes: 6 }, upload)
  const [file = ''] = await files()
  await utimes(file, 1000, 1000)
  await unfinishedUploads.removeOld(new Date())
  expect(await files()).toHaveLength(1)
})

it('a failure to save uploads is reported once and does not throw', async () => {
  const errors: string[] = []
  await writeFile(join(home, 'reelkeep'), 'in the way')
  unfinishedUploads = new UnfinishedUploads({ XDG_STATE_HOME: home }, ({ message }) => errors.push(message))
  await unfinishedUploads.removeOld(new Date())
  await using lock = await unfinishedUploads.lock(identity)
  await unfinishedUploads.save(identity, upload)
  expect(await unfinishedUploads.find(identity)).toBeUndefined()
  await unfinishedUploads.remove(identity)
  expect([lock.isAcquired, errors]).toEqual([true, [expect.stringMatching(/ENOTDIR|EEXIST/)]])
})
