/** The disks of Postgres and of the API's log become full, on real file systems, and have space again. */
import { execFileSync } from 'node:child_process'
import { cpSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiProcess, newCaller, OwnPostgres, Superuser, stackEnv } from '@reelkeep/testkit'
import { afterEach, expect, it, vi } from 'vitest'
import { canMount, mountSmallDisk } from '../../../media/testing/disks/small-disk.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.runIf(canMount)('an API whose log cannot be written keeps serving, and logs again once there is space', async () => {
  using disk = mountSmallDisk(256)
  // The log of a test process is a file in the temporary directory.
  vi.stubEnv('TMPDIR', disk.directory)
  await using api = await ApiProcess.start()
  vi.unstubAllEnvs()
  const caller = await newCaller(api.send, stackEnv())
  const free = disk.fill()
  const create = (title: string) => caller.post<{ uuid: string }>('assets/folders/', { title })
  // Each request logs a line, so these are several times the size of the log's buffer.
  for (let turn = 0; turn < 300; turn++) expect((await create(`full ${turn}`)).status).toBe(201)
  // The log is flushed every second; a request after two failed flushes shows that the API has survived them.
  await sleep(2500)
  expect((await create('still serving')).status).toBe(201)
  expect(api.child.exitCode).toBeNull()
  free()
  const { headers } = await create('logged again')
  await expect.poll(() => api.log).toContain(String(headers['x-request-id']))
  disk.fill()
  await create('not logged')
  expect(await api.stop('SIGTERM')).toBe(0)
})

it.runIf(canMount)('Postgres with a full disk for its log (WAL) loses no acknowledged change', async () => {
  await using postgres = await OwnPostgres.start('disk')
  await postgres.stop()
  using disk = mountSmallDisk(192 * 1024, 'postgres')
  const log = join(postgres.dataDirectory, 'pg_wal')
  cpSync(log, join(disk.directory, 'pg_wal'), { recursive: true, preserveTimestamps: true })
  renameSync(log, `${log}.before`)
  symlinkSync(join(disk.directory, 'pg_wal'), log)
  execFileSync('chown', ['-R', 'postgres:postgres', join(disk.directory, 'pg_wal')])
  execFileSync('chown', ['-h', 'postgres:postgres', log])
  await postgres.restart()

  await using api = await ApiProcess.start({}, postgres.env)
  const caller = await newCaller(api.send, postgres.env)
  const created: string[] = []
  const statuses = new Set<number>()
  let isOver = false
  const busy = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { status, body } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'x' })
      statuses.add(status)
      if (status === 201) created.push(body.uuid)
      else await sleep(50)
    }
  })
  await expect.poll(() => created.length).toBeGreaterThan(50)
  const free = disk.fill()
  await fillLog(postgres)
  await expect.poll(() => [...statuses].toSorted()).toEqual([201, 503])
  free()
  // The server may have ended, or still try to recover.
  await expect.poll(() => hasStarted(postgres)).toBe(true)
  const before = created.length
  await expect.poll(() => created.length).toBeGreaterThan(before + 50)
  isOver = true
  await Promise.all(busy)
  expect([...statuses].toSorted()).toEqual([201, 503])
  await using superuser = await Superuser.open(postgres.env)
  const rows = await superuser.query<{ uuid: string }>('select uuid from folders')
  const stored = new Set(rows.map(({ uuid }) => uuid))
  expect(created.filter((uuid) => !stored.has(uuid))).toEqual([])
  rmSync(`${log}.before`, { recursive: true })
})

const hasStarted = (postgres: OwnPostgres) =>
  postgres.restart().then(
    () => true,
    () => false,
  )

/** Writes to the log until Postgres ends, because it needs a new file. */
async function fillLog({ env }: OwnPostgres): Promise<void> {
  await using superuser = await Superuser.open(env)
  const message = `select pg_logical_emit_message(false, 'filler', repeat('x', 1000000))`
  for (let megabytes = 0; megabytes < 500; megabytes++) {
    const hasEnded = await superuser.query(message).then(
      () => false,
      () => true,
    )
    if (hasEnded) return
  }
  throw new Error('Postgres still writes to its log')
}
