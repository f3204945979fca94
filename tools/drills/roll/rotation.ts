/**
 * Replaces six secrets of the service under load. All instances must accept a secret before the first one uses it, so
 * there are three rounds: the new secrets are added, then used, then the old ones are removed.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { tokens } from '@reelkeep/contract'
import { root, type StackEnv, Superuser, setUpUploads } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import type { Release } from './fleet.ts'
import type { RollFixture } from './roll-fixture.ts'

const run = promisify(execFile)
const REWRAPS_MAX = 10

/** Settings with which the service starts, so that there is a notification secret to rotate. */
export const rotatedSettings = { STORAGE_EVENTS_SECRET: randomBytes(24).toString('hex') }

export async function rotateEverything(fixture: RollFixture, before: Release): Promise<void> {
  const { env } = before
  const secrets = {
    playback: randomBytes(32).toString('base64'),
    keyEncryption: `rotated:${randomBytes(32).toString('base64')}`,
    notifications: randomBytes(24).toString('hex'),
  }
  const reached = { ...env, ...(await newDatabaseRoles(env)), ...(await newStorageKeys()) }

  // Round one: all instances accept the new secrets, but no instance uses them.
  const known = {
    ...reached,
    KEY_ENCRYPTION_KEYS: `${env.KEY_ENCRYPTION_KEYS},${secrets.keyEncryption}`,
  }
  const withNext = { ...before.settings, PLAYBACK_SECRET_PREVIOUS: secrets.playback }
  await fixture.fleet.roll({ ...before, env: known, settings: withNext })

  const used: StackEnv = {
    ...reached,
    KEY_ENCRYPTION_KEYS: `${secrets.keyEncryption},${env.KEY_ENCRYPTION_KEYS}`,
    PLAYBACK_SECRET: secrets.playback,
  }
  const settings = {
    ...before.settings,
    PLAYBACK_SECRET_PREVIOUS: env.PLAYBACK_SECRET,
    STORAGE_EVENTS_SECRET: secrets.notifications,
  }
  await fixture.fleet.roll({ ...before, env: used, settings })
  await rotateToken(fixture)
  await setUpUploads(used, { STORAGE_EVENTS_SECRET: secrets.notifications })
  await rewrap(used)

  await removeOldKeys(env)
  const bare = { ...used, KEY_ENCRYPTION_KEYS: secrets.keyEncryption }
  await fixture.fleet.roll({ ...before, env: bare, settings })
}

/**
 * Creates new roles as members of the old ones, because a role can have only one password. The same policies apply to
 * members.
 */
async function newDatabaseRoles(env: StackEnv) {
  await using superuser = await Superuser.open(env)
  const addressOf = async (address: string, role: string) => {
    const url = new URL(address)
    url.username = `${role}_rotated`
    url.password = randomBytes(24).toString('hex')
    await superuser.query(`create role ${url.username} login password '${url.password}' in role ${role}`)
    // Settings of a role are not inherited by members.
    await superuser.query(`alter role ${url.username} set work_mem = '64MB'`)
    await superuser.query(`alter role ${url.username} set jit = off`)
    // The owner, a member of the old role, also needs membership in the new one.
    await superuser.query(`grant ${url.username} to reelkeep_owner`)
    return url.href
  }
  return {
    DATABASE_URL: await addressOf(env.DATABASE_URL, 'reelkeep_api'),
    DATABASE_WORKER_URL: await addressOf(env.DATABASE_WORKER_URL, 'reelkeep_worker'),
  }
}

/** Creates second keys for the same Ceph users: the main key and the upload key. */
async function newStorageKeys() {
  const main = await newStorageKey('--uid=development')
  const upload = await newStorageKey(`--uid=${UPLOAD_USER}`, `--subuser=${UPLOAD_USER}:put`)
  return {
    STORAGE_ACCESS_KEY_ID: main.id,
    STORAGE_SECRET_ACCESS_KEY: main.secret,
    STORAGE_UPLOAD_ACCESS_KEY_ID: upload.id,
    STORAGE_UPLOAD_SECRET_ACCESS_KEY: upload.secret,
  }
}

const UPLOAD_USER = 'development-uploads'

async function newStorageKey(...user: readonly string[]) {
  const key = { id: randomBytes(10).toString('hex'), secret: randomBytes(20).toString('hex') }
  const options = [`--access-key=${key.id}`, `--secret-key=${key.secret}`]
  await radosgwAdmin('key', 'create', ...user, '--key-type=s3', ...options)
  return key
}

async function radosgwAdmin(...args: readonly string[]): Promise<void> {
  const conf = join(root, '.stack', stackEnvironment.STACK_NAME, 'ceph/ceph.conf')
  await run('radosgw-admin', ['-c', conf, ...args])
}

async function rotateToken({ caller, useToken }: RollFixture): Promise<void> {
  const current = await caller().get<tokens.Token>('tokens/current/')
  const path = `tokens/${current.body.id}/rotate/`
  const { status, body, text } = await caller().post<tokens.NewToken>(path, { overlap_seconds: 60 })
  if (status >= 300) throw new Error(`Cannot rotate the token: ${text}`)
  useToken(body.token)
}

/** Runs `rewrap-master-keys` until no key is wrapped with the old key. */
async function rewrap(env: StackEnv): Promise<void> {
  const command = [join(root, 'server/src/main/admin.ts'), 'rewrap-master-keys', '--json']
  for (let round = 0; round < REWRAPS_MAX; round++) {
    const { stdout } = await run(process.execPath, command, {
      env: { ...stackEnvironment, ...env },
    })
    const { rewrapped, rewrapped_webhook_secrets, rewrapped_totp_secrets } = JSON.parse(stdout) as Record<
      string,
      number
    >
    if (rewrapped === 0 && rewrapped_webhook_secrets === 0 && rewrapped_totp_secrets === 0) return
  }
  throw new Error('rewrap-master-keys never finishes')
}

async function removeOldKeys(env: StackEnv): Promise<void> {
  await using superuser = await Superuser.open(env)
  await superuser.query('alter role reelkeep_api nologin')
  await superuser.query('alter role reelkeep_worker nologin')
  await radosgwAdmin('key', 'rm', '--uid=development', `--access-key=${env.STORAGE_ACCESS_KEY_ID}`)
  await radosgwAdmin('key', 'rm', `--uid=${UPLOAD_USER}`, `--access-key=${env.STORAGE_UPLOAD_ACCESS_KEY_ID}`)
}
