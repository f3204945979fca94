/**
 * Tests the set-up of Compose's Postgres on a small cluster: roles can log in with their secrets, and no secret is
 * visible in the process list.
 */
import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, root } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUserPostgres, giveToPostgres, postgresBin } from './debian-postgres.ts'

const run = promisify(execFile)
const port = String(await freePort())
/** Directory of the Unix socket of Postgres. Its path is short, because the path length of a socket is limited. */
const directory = mkdtempSync(join(tmpdir(), 'compose-pg-'))
const data = join(directory, 'data')
const secrets = ['owner', 'api', 'worker', 'backup'].map((role) => ({
  role: `reelkeep_${role}`,
  file: `${role}_password`,
  secret: `the secret of ${role}`,
}))

const asPostgres = ([program, ...args]: [string, ...string[]], env: NodeJS.ProcessEnv = {}) =>
  run('setpriv', asUserPostgres(program, args), {
    env: {
      PATH: `${directory}:/usr/bin:/bin`,
      PGHOST: directory,
      PGPORT: port,
      PGDATA: data,
      ...env,
    },
    cwd: '/',
  })

/** Replaces psql: records its arguments, which any user could read in the process list, and then runs it. */
const watchedPsql = `#!/bin/sh
echo "$@" >>${join(directory, 'arguments')}
exec ${join(postgresBin, 'psql')} "$@"
`

/** Replaces the paths of the container with paths of this machine. */
const adapted = (text: string) =>
  text
    .replaceAll('/run/secrets', join(directory, 'secrets'))
    .replace('/reelkeep/roles.sql', join(directory, 'roles.sql'))

function writeSecrets(suffix = ''): void {
  for (const { file, secret } of secrets) writeFileSync(join(directory, 'secrets', file), `${secret}${suffix}\n`)
}

function gatherFiles(): void {
  mkdirSync(join(directory, 'secrets'))
  writeSecrets()
  cpSync(join(root, 'server/roles.sql'), join(directory, 'roles.sql'))
  const script = readFileSync(join(root, 'deploy/compose/postgres/create-database'), 'utf8')
  const programs = { 'create-database': adapted(script), psql: watchedPsql }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(directory, name), text)
    chmodSync(join(directory, name), 0o755)
  }
}

/** Starts Postgres like its container image: local connections are trusted, network connections need a password. */
async function startPostgres(): Promise<void> {
  const trust = ['--auth-local=trust', '--auth-host=scram-sha-256']
  await asPostgres([join(postgresBin, 'initdb'), '-D', data, '-U', 'postgres', ...trust])
  const options = `-p ${port} -k ${directory} -c listen_addresses=127.0.0.1`
  const log = ['-l', join(directory, 'log')]
  await asPostgres([join(postgresBin, 'pg_ctl'), 'start', '-w', '-D', data, '-o', options, ...log])
}

beforeAll(async () => {
  gatherFiles()
  giveToPostgres(directory)
  await startPostgres()
  await asPostgres([join(directory, 'create-database')])
  await asPostgres([join(postgresBin, 'pg_ctl'), 'reload', '-D', data])
})

afterAll(async () => {
  await asPostgres([join(postgresBin, 'pg_ctl'), 'stop', '-w', '-m', 'immediate', '-D', data])
  rmSync(directory, { recursive: true, force: true })
})

/** Logs in as the role. The backup role may only replicate, so it opens a replication connection. */
const logIn = (role: string, password: string) => {
  const connection = role === 'reelkeep_backup' ? ['true', 'IDENTIFY_SYSTEM'] : ['false', 'select 1']
  const [replication, question = ''] = connection
  const line = `host=127.0.0.1 dbname=reelkeep user=${role} replication=${replication}`
  return asPostgres([join(postgresBin, 'psql'), line, '-XAtc', question], { PGPASSWORD: password })
}

describe("the script that creates Compose's database", () => {
  it.each(secrets)('lets $role log in with its own secret', async ({ role, secret }) => {
    expect((await logIn(role, secret)).stdout).not.toBe('')
    await expect(logIn(role, 'another')).rejects.toThrow('password authentication failed')
  })

  it('exposes no secret in the process list', () => {
    const seen = readFileSync(join(directory, 'arguments'), 'utf8')
    expect(seen).toContain('--username postgres')
    expect(secrets.filter(({ secret }) => seen.includes(secret))).toEqual([])
  })
})

describe('the instructions of backup.md for new secrets after a restore', () => {
  const page = readFileSync(join(root, 'docs/operations/backup.md'), 'utf8')
  const [command = ''] = /^dc exec -T postgres bash [\s\S]*?^SQL$/m.exec(page) ?? []

  it('let every role log in with the new secret, and expose no secret in the process list', async () => {
    writeSecrets(', anew')
    const inContainer = 'dc() { shift 3; "$@"; }'
    await asPostgres(['/bin/bash', '-ec', `${inContainer}\n${adapted(command)}`])
    for (const { role, secret } of secrets) {
      expect((await logIn(role, `${secret}, anew`)).stdout, role).not.toBe('')
      await expect(logIn(role, secret), role).rejects.toThrow('password authentication failed')
    }
    expect(readFileSync(join(directory, 'arguments'), 'utf8')).not.toContain('anew')
  })
})
