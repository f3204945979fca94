/**
 * Tests the scripts of deploy/backup on a small cluster: they restore everything, or everything up to a given time,
 * and overwrite nothing.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort, root } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asUserPostgres, giveToPostgres, postgresBin } from './debian-postgres.ts'

const run = promisify(execFile)
const port = String(await freePort())
/** Directory of the Unix socket of Postgres. Its path is short, because the path length of a socket is limited. */
const directory = mkdtempSync(join(tmpdir(), 'backup-'))
const backup = join(directory, 'backup')
const env = {
  ...stackEnvironment,
  PGHOST: directory,
  PGPORT: port,
  PGUSER: 'postgres',
  PGDATABASE: 'postgres',
}

const asPostgres = (program: string, ...args: string[]) =>
  run('setpriv', asUserPostgres(program, args), { env, cwd: '/' })
const script = (name: string, ...args: string[]) => asPostgres(join(directory, 'bin', name), ...args)
const sql = async (text: string) => (await asPostgres(join(postgresBin, 'psql'), '-XAtqc', text)).stdout.trim()

const ANSWER_SECONDS_MAX = 120
const STATE_OF_RECEIVER = `select state from pg_stat_replication where application_name = 'reelkeep_wal'`

/** Polls the query until it returns the expected value; errors are ignored. */
async function untilQueryReturns(expected: string, query: string): Promise<void> {
  const deadline = performance.now() + ANSWER_SECONDS_MAX * 1000
  while ((await sql(query).catch(() => undefined)) !== expected) {
    if (performance.now() > deadline) throw new Error(`Timeout waiting for ${expected}`)
    await sleep(50)
  }
}

async function startPostgres(data: string): Promise<void> {
  const options = `-p ${port} -k ${directory} -c listen_addresses=''`
  // If the server inherited the output of this process, this call would not return until the server ends.
  const log = ['-l', join(directory, 'log')]
  await asPostgres(join(postgresBin, 'pg_ctl'), 'start', '-w', '-D', data, '-o', options, ...log)
  await untilQueryReturns('f', 'select pg_is_in_recovery()')
}
const stopPostgres = (data: string) =>
  asPostgres(join(postgresBin, 'pg_ctl'), 'stop', '-w', '-m', 'immediate', '-D', data)

const startReceiver = (target: string) =>
  spawn('setpriv', asUserPostgres(join(directory, 'bin/receive-wal'), [target]), {
    env,
    cwd: '/',
  })

/** Starts receive-wal. From then on, a commit waits until the backup has received it. */
async function beginBackup(directory: string): Promise<ChildProcess> {
  const receiver = startReceiver(directory)
  await untilQueryReturns('streaming', STATE_OF_RECEIVER)
  await sql(`alter system set synchronous_standby_names = 'reelkeep_wal'`)
  await sql('select pg_reload_conf()')
  return receiver
}

async function stop(receiver: ChildProcess): Promise<void> {
  if (hasEnded(receiver)) return
  const exited = once(receiver, 'exit')
  receiver.kill('SIGINT')
  await exited
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

beforeAll(async () => {
  cpSync(join(root, 'deploy/backup'), join(directory, 'bin'), { recursive: true })
  giveToPostgres(directory)
  const data = join(directory, 'first')
  await asPostgres(join(postgresBin, 'initdb'), '-D', data, '--auth=trust', '-U', 'postgres')
  await startPostgres(data)
  const receiver = await beginBackup(backup)
  await sql('create table notes (text text)')
  await script('base-backup', backup)
  await sql(`insert into notes values ('early')`)
  restoreTime = await sql('select clock_timestamp()')
  // Starts a new WAL file twice, so that a file in the middle can be removed.
  await sql('select pg_switch_wal()')
  await sql(`insert into notes values ('late')`)
  await sql('select pg_switch_wal()')
  await sql('create table written_last ()')
  await stopPostgres(data)
  await stop(receiver)
})
let restoreTime = ''
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Restores the backup and returns the contents of the table `notes`. */
async function restored(name: string, ...until: string[]): Promise<string> {
  const data = join(directory, name)
  await script('restore', backup, data, ...until)
  return await notesOf(data)
}

async function notesOf(data: string): Promise<string> {
  await startPostgres(data)
  try {
    // After a restore, commits do not wait for receive-wal, which has to be started again.
    await sql('create table written_after ()')
    return await sql(`select string_agg(text, ' ') from notes`)
  } finally {
    await stopPostgres(data)
  }
}

it('base-backup fails if receive-wal has never connected', async () => {
  const nowhere = join(directory, 'nowhere')
  const receiver = startReceiver(nowhere)
  expect(String(await once(receiver.stdout, 'data'))).toContain('no response')
  receiver.kill('SIGTERM')
  await once(receiver, 'exit')
  await expect(script('base-backup', nowhere)).rejects.toThrow('Start receive-wal first')
})

it('restore recovers everything that was acknowledged before the server was killed', async () => {
  expect(await restored('all')).toBe('early late')
})

it('restore recovers the state at a given time, and nothing later', async () => {
  expect(await restored('then', restoreTime)).toBe('early')
})

it('restore recovers everything of a server that was itself restored to a given time', async () => {
  const [data, again] = [join(directory, 'second'), join(directory, 'second-backup')]
  await script('restore', backup, data, restoreTime)
  await startPostgres(data)
  const receiver = await beginBackup(again)
  await script('base-backup', again)
  await sql(`insert into notes values ('afterwards')`)
  await stopPostgres(data)
  await stop(receiver)
  const restoredAgain = join(directory, 'third')
  await script('restore', again, restoredAgain)
  expect(await notesOf(restoredAgain)).toBe('early afterwards')
})

it('receive-wal resumes after its disk was full in the middle of a new file', async () => {
  const [data, again] = [join(directory, 'fourth'), join(directory, 'full-backup')]
  await script('restore', backup, data)
  await startPostgres(data)
  await stop(await beginBackup(again))
  const [begun = ''] = globSync(join(again, 'wal/*.partial'))
  // Simulates a disk that had room for only half of the zeros with which a new WAL file is filled.
  await asPostgres('truncate', '--size=8388608', begun)
  const receiver = await beginBackup(again)
  await sql(`insert into notes values ('again')`)
  const ended = once(receiver, 'exit')
  await stopPostgres(data)
  // After this exit, the service manager restarts receive-wal, which checks its files again.
  expect(await ended).toEqual([1, null])
})

it('base-backup deletes the remains of a killed base backup, and nothing of a running one', async () => {
  const left = join(backup, 'unfinished.1')
  await asPostgres('mkdir', left)
  const copying = [join(directory, 'bin/base-backup'), backup]
  await expect(asPostgres('flock', join(backup, '.base-backup.lock'), ...copying)).rejects.toThrow(
    'another base-backup is running',
  )
  expect(existsSync(left)).toBe(true)
  // The base backup itself fails, because no Postgres is running.
  await expect(script('base-backup', backup)).rejects.toThrow('pg_basebackup: error')
  expect(existsSync(left)).toBe(false)
})

it('restore names the first missing file, and does not restore past the gap', async () => {
  const holed = join(directory, 'holed')
  await asPostgres('cp', '-a', backup, holed)
  const [missing = ''] = wholeFiles(holed).slice(-1)
  const [cut = ''] = wholeFiles(holed)
  rmSync(join(holed, 'wal', missing))
  const data = join(directory, 'nothing')
  await expect(script('restore', holed, data)).rejects.toThrow(`${missing} is missing`)
  await asPostgres('truncate', '--size=-1', join(holed, 'wal', cut))
  await expect(script('restore', holed, data)).rejects.toThrow(`${cut} has 16777215 bytes`)
  expect(existsSync(data)).toBe(false)
})

const wholeFiles = (directory: string) =>
  readdirSync(join(directory, 'wal'))
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .toSorted()

it('restore stops if the backup disk is missing during the replay', async () => {
  const [away, data] = [join(directory, 'away'), join(directory, 'not-replayed')]
  await asPostgres('cp', '-a', backup, away)
  await script('restore', away, data)
  rmSync(away, { recursive: true })
  await expect(startPostgres(data)).rejects.toThrow('could not start server')
})

it('restore works if the backup ends with a WAL file that has just been started', async () => {
  const begun = join(directory, 'begun')
  await asPostgres('cp', '-a', backup, begun)
  const next = readdirSync(join(begun, 'wal')).find((name) => name.endsWith('.partial')) ?? ''
  const number = Number.parseInt(next.slice(16, 24), 16) + 1
  const name = next.slice(0, 16) + number.toString(16).toUpperCase().padStart(8, '0')
  // The previous WAL file had been written completely, so it has its final name.
  await asPostgres('mv', join(begun, 'wal', next), join(begun, 'wal', next.slice(0, 24)))
  await asPostgres('truncate', '--size=4096', join(begun, 'wal', `${name}.partial`))
  const data = join(directory, 'from-begun')
  await script('restore', begun, data)
  expect(await notesOf(data)).toBe('early late')
})

it('restore fails if there is no base backup, or none old enough', async () => {
  await expect(script('restore', backup, join(directory, 'x'), '2020-01-01 00:00:00+00')).rejects.toThrow(
    'from before 2020-01-01',
  )
  await expect(script('restore', join(directory, 'bin'), join(directory, 'x'))).rejects.toThrow('no base backup')
})

it('restore and base-backup overwrite nothing, and no base backup is created without receive-wal', async () => {
  const data = join(directory, 'mine')
  mkdirSync(data)
  writeFileSync(join(data, 'precious'), '')
  await expect(script('restore', backup, data)).rejects.toThrow('is not empty')
  expect(readdirSync(data)).toEqual(['precious'])
  await expect(script('base-backup', join(directory, 'nowhere'))).rejects.toThrow('Start receive-wal first')
})
