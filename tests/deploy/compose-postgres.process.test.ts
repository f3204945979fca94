/**
 * What Compose's Postgres is made with, on a small cluster of its own: roles that log in by their
 * secrets, which no list of processes tells.
 */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, root } from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUserPostgres, giveToPostgres, postgresBin } from './debian-postgres.ts'

const run = promisify(execFile)
const port = String(await freePort())
/** Short, for the path of a socket may not be long. */
const place = mkdtempSync(join(tmpdir(), 'compose-pg-'))
const data = join(place, 'data')
const secrets = ['owner', 'api', 'worker', 'backup'].map((role) => ({
  role: `reelkeep_${role}`,
  file: `${role}_password`,
  secret: `the secret of ${role}`,
}))

const asPostgres = ([program, ...args]: [string, ...string[]], env: NodeJS.ProcessEnv = {}) =>
  run('setpriv', asUserPostgres(program, args), {
    env: { PATH: `${place}:/usr/bin:/bin`, PGHOST: place, PGPORT: port, PGDATA: data, ...env },
    cwd: '/',
  })

/** Notes what any user of the machine could read, and does what it is asked. */
const watchedPsql = `#!/bin/sh
echo "$@" >>${join(place, 'arguments')}
exec ${join(postgresBin, 'psql')} "$@"
`

/** With the places of this machine in it. */
const adapted = (text: string) =>
  text
    .replaceAll('/run/secrets', join(place, 'secrets'))
    .replace('/reelkeep/roles.sql', join(place, 'roles.sql'))

function writeSecrets(suffix = ''): void {
  for (const { file, secret } of secrets)
    writeFileSync(join(place, 'secrets', file), `${secret}${suffix}\n`)
}

function gatherFiles(): void {
  mkdirSync(join(place, 'secrets'))
  writeSecrets()
  cpSync(join(root, 'server/roles.sql'), join(place, 'roles.sql'))
  const script = readFileSync(join(root, 'deploy/compose/postgres/create-database'), 'utf8')
  const programs = { 'create-database': adapted(script), psql: watchedPsql }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(place, name), text)
    chmodSync(join(place, name), 0o755)
  }
}

/** As Postgres' image does it: whoever is on the machine is let in, whoever comes by network has a password. */
async function startPostgres(): Promise<void> {
  const trust = ['--auth-local=trust', '--auth-host=scram-sha-256']
  await asPostgres([join(postgresBin, 'initdb'), '-D', data, '-U', 'postgres', ...trust])
  const options = `-p ${port} -k ${place} -c listen_addresses=127.0.0.1`
  const log = ['-l', join(place, 'log')]
  await asPostgres([join(postgresBin, 'pg_ctl'), 'start', '-w', '-D', data, '-o', options, ...log])
}

beforeAll(async () => {
  gatherFiles()
  giveToPostgres(place)
  await startPostgres()
  await asPostgres([join(place, 'create-database')])
  await asPostgres([join(postgresBin, 'pg_ctl'), 'reload', '-D', data])
})

afterAll(async () => {
  await asPostgres([join(postgresBin, 'pg_ctl'), 'stop', '-w', '-m', 'immediate', '-D', data])
  rmSync(place, { recursive: true, force: true })
})

/** For whom replication is all there is, it is what they ask for. */
const logIn = (role: string, password: string) => {
  const asked = role === 'reelkeep_backup' ? ['true', 'IDENTIFY_SYSTEM'] : ['false', 'select 1']
  const [replication, question = ''] = asked
  const line = `host=127.0.0.1 dbname=reelkeep user=${role} replication=${replication}`
  return asPostgres([join(postgresBin, 'psql'), line, '-XAtc', question], { PGPASSWORD: password })
}

describe('the script that Compose makes its database with', () => {
  it.each(secrets)('has $role log in by its own secret', async ({ role, secret }) => {
    expect((await logIn(role, secret)).stdout).not.toBe('')
    await expect(logIn(role, 'another')).rejects.toThrow('password authentication failed')
  })

  it('tells no secret to who looks at the processes of the machine', () => {
    const seen = readFileSync(join(place, 'arguments'), 'utf8')
    expect(seen).toContain('--username postgres')
    expect(secrets.filter(({ secret }) => seen.includes(secret))).toEqual([])
  })
})

describe('what backup.md has done where a restored database meets new secrets', () => {
  const page = readFileSync(join(root, 'docs/operations/backup.md'), 'utf8')
  const [command = ''] = /^dc exec -T postgres bash [\s\S]*?^SQL$/m.exec(page) ?? []

  it('has every role log in by the new one, and tells none', async () => {
    writeSecrets(', anew')
    const inContainer = 'dc() { shift 3; "$@"; }'
    await asPostgres(['/bin/bash', '-ec', `${inContainer}\n${adapted(command)}`])
    for (const { role, secret } of secrets) {
      expect((await logIn(role, `${secret}, anew`)).stdout, role).not.toBe('')
      await expect(logIn(role, secret), role).rejects.toThrow('password authentication failed')
    }
    expect(readFileSync(join(place, 'arguments'), 'utf8')).not.toContain('anew')
  })
})
