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
  wish: { title: 'Talk', folder: null, resolutions: ['360p'] },
}
const upload = { sessionUuid: 'one' }

let home: string
let memory: UnfinishedUploads
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reelkeep-state-'))
  memory = new UnfinishedUploads({ XDG_STATE_HOME: home })
})
afterEach(() => rm(home, { recursive: true }))

const folder = () => join(home, 'reelkeep/unfinished-uploads')
const files = async () => (await readdir(folder())).map((name) => join(folder(), name))

it('finds what it was told, until it forgets', async () => {
  expect(await memory.find(identity)).toBeUndefined()
  await memory.remember(identity, upload)
  expect(await memory.find(identity)).toEqual(upload)
  await memory.forget(identity)
  expect(await memory.find(identity)).toBeUndefined()
  await memory.forget(identity)
})

it('takes a file that was changed, another service and another wish for another upload', async () => {
  await memory.remember(identity, upload)
  const others = [
    { url: 'https://other.example' },
    { organization: 'other1' },
    { realPath: '/videos/talk2.mp4' },
    { sizeBytes: 6 },
    { modifiedAtMilliseconds: 2 },
    { wish: { ...identity.wish, folder: 'abcdefghijk' } },
  ]
  for (const other of others) expect(await memory.find({ ...identity, ...other })).toBeUndefined()
})

it("is for its owner's eyes only", async () => {
  await memory.remember(identity, upload)
  const [file = ''] = await files()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder())).mode & 0o777).toBe(0o700)
})

it('is whole at every moment while several write', async () => {
  await memory.remember(identity, upload)
  const writing = Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      memory.remember({ ...identity, sizeBytes: index % 2 }, { sessionUuid: String(index) }),
    ),
  )
  let looks = 0
  const isOver = writing.then(() => true)
  while (!(await Promise.race([isOver, Promise.resolve(false)])) && looks++ < 1000)
    expect(await memory.find(identity)).toEqual(upload)
  await writing
  expect(await files()).toHaveLength(3)
})

it('knows whether there is anything to go on with', async () => {
  expect(await memory.find(identity)).toBeUndefined()
  expect(memory.holdsAny()).toBe(false)
  await memory.remember(identity, upload)
  expect(memory.holdsAny()).toBe(true)
  await memory.forget(identity)
  expect(memory.holdsAny()).toBe(false)
  await memory.remember(identity, upload)
  const later = new UnfinishedUploads({ XDG_STATE_HOME: home })
  expect([later.holdsAny(), await later.find(identity), later.holdsAny()]).toEqual([
    false,
    upload,
    true,
  ])
})

it('passes over what somebody has damaged', async () => {
  await memory.remember(identity, upload)
  const [file = ''] = await files()
  for (const text of ['', '{', '[]', 'null', '{"sessionUuid": 1}']) {
    await writeFile(file, text)
    expect(await memory.find(identity)).toBeUndefined()
  }
})

it('forgets by itself what is older than every session', async () => {
  await memory.remember(identity, upload)
  await memory.remember({ ...identity, sizeBytes: 6 }, upload)
  const [file = ''] = await files()
  await utimes(file, 1000, 1000)
  await memory.forgetOldOnes(new Date())
  expect(await files()).toHaveLength(1)
})

it('tells once that it does not work, and fails nobody', async () => {
  const told: string[] = []
  await writeFile(join(home, 'reelkeep'), 'in the way')
  memory = new UnfinishedUploads({ XDG_STATE_HOME: home }, ({ message }) => told.push(message))
  await memory.forgetOldOnes(new Date())
  await using claim = await memory.claim(identity)
  await memory.remember(identity, upload)
  expect(await memory.find(identity)).toBeUndefined()
  await memory.forget(identity)
  expect([claim.isMine, told]).toEqual([true, [expect.stringMatching(/ENOTDIR|EEXIST/)]])
})
