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

function gatherFiles(): void {
  mkdirSync(join(place, 'secrets'))
  for (const { file, secret } of secrets) writeFileSync(join(place, 'secrets', file), `${secret}\n`)
  cpSync(join(root, 'server/roles.sql'), join(place, 'roles.sql'))
  const script = readFileSync(join(root, 'deploy/compose/postgres/create-database'), 'utf8')
  const ours = script
    .replaceAll('/run/secrets/', `${place}/secrets/`)
    .replace('/reelkeep/roles.sql', join(place, 'roles.sql'))
  for (const [name, text] of Object.entries({ 'create-database': ours, psql: watchedPsql })) {
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
