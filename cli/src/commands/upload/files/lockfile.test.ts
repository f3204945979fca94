import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acquireLock } from './lockfile.ts'

let home: string
let file: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reelkeep-acquireLock-'))
  file = join(home, 'lock')
})
afterEach(() => rm(home, { recursive: true }))

const DEAD_PID = 2 ** 22 + 1

it('the lock belongs to one command until it is released', async () => {
  {
    await using lock = await acquireLock(file)
    expect(lock.isAcquired).toBe(true)
    expect((await acquireLock(file)).isAcquired).toBe(false)
  }
  expect(await readdir(home)).toEqual([])
  expect((await acquireLock(file)).isAcquired).toBe(true)
})

it('only one of many commands gets the lock, even after a crash', async () => {
  for (const isLeftBehind of [false, true]) {
    await rm(file, { force: true })
    if (isLeftBehind) await writeFile(file, `${DEAD_PID} ${hostname()} dead\n`)
    const locks = await Promise.all(Array.from({ length: 20 }, () => acquireLock(file)))
    expect(locks.filter(({ isAcquired }) => isAcquired)).toHaveLength(1)
  }
  expect(await readdir(home)).toEqual(['lock'])
})

it('the lock is free if its process has ended, or if it has not been touched for a long time', async () => {
  await writeFile(file, `${process.ppid} ${hostname()} alive\n`)
  expect((await acquireLock(file)).isAcquired).toBe(false)
  const minutesAgo = new Date(Date.now() - 120_000)
  await utimes(file, minutesAgo, minutesAgo)
  expect((await acquireLock(file)).isAcquired).toBe(true)
  await writeFile(file, `${DEAD_PID} ${hostname()} dead\n`)
  expect((await acquireLock(file)).isAcquired).toBe(true)
})

it('the lock of another machine is free only if it has not been touched for a long time', async () => {
  await writeFile(file, `${DEAD_PID} another-${hostname()} alive\n`)
  expect((await acquireLock(file)).isAcquired).toBe(false)
  const minutesAgo = new Date(Date.now() - 120_000)
  await utimes(file, minutesAgo, minutesAgo)
  expect((await acquireLock(file)).isAcquired).toBe(true)
})
