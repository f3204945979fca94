import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claim } from './claim.ts'

let home: string
let file: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reelkeep-claim-'))
  file = join(home, 'lock')
})
afterEach(() => rm(home, { recursive: true }))

const GONE = 2 ** 22 + 1

it('is one command’s, until it ends', async () => {
  {
    await using mine = await claim(file)
    expect(mine.isMine).toBe(true)
    expect((await claim(file)).isMine).toBe(false)
  }
  expect(await readdir(home)).toEqual([])
  expect((await claim(file)).isMine).toBe(true)
})

it('is one command’s of many that come at once, also after one that died', async () => {
  for (const isLeftBehind of [false, true]) {
    await rm(file, { force: true })
    if (isLeftBehind) await writeFile(file, `${GONE} ${hostname()} dead\n`)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(file)))
    expect(claims.filter(({ isMine }) => isMine)).toHaveLength(1)
  }
  expect(await readdir(home)).toEqual(['lock'])
})

it('ends with its process, or when that has not touched it for long and its number is another’s', async () => {
  await writeFile(file, `${process.ppid} ${hostname()} alive\n`)
  expect((await claim(file)).isMine).toBe(false)
  const minutesAgo = new Date(Date.now() - 120_000)
  await utimes(file, minutesAgo, minutesAgo)
  expect((await claim(file)).isMine).toBe(true)
  await writeFile(file, `${GONE} ${hostname()} dead\n`)
  expect((await claim(file)).isMine).toBe(true)
})

it('of another machine, whose processes nobody knows here, ends when it is not touched for long', async () => {
  await writeFile(file, `${GONE} another-${hostname()} alive\n`)
  expect((await claim(file)).isMine).toBe(false)
  const minutesAgo = new Date(Date.now() - 120_000)
  await utimes(file, minutesAgo, minutesAgo)
  expect((await claim(file)).isMine).toBe(true)
})
