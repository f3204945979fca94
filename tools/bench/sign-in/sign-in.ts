/**
 * `pnpm bench sign-in`: guesses the password of one account 10,000 times from as many networks and 10,000 times from
 * one, and compares the response times of existing and unknown accounts over 2,000 tries each.
 *
 * Passwords are hashed with 8 KiB and one pass, unless `--memory` and `--passes` say otherwise. The counts do not
 * depend on it. The comparison of times becomes stricter: a hash takes as long for both kinds of accounts, and its
 * noise would hide other differences.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { hashNewPassword } from '@reelkeep/server/modules/sign-in/accounts/accounts.ts'
import { PasswordHasher } from '@reelkeep/server/modules/sign-in/passwords/password-hashing.ts'
import { ApiProcess, resetDatabase, startStack, TestBrowser, withDatabase } from '@reelkeep/testkit'
import pg from 'pg'
import { checkGoals, type Goal } from '../support/goals.ts'
import { compareMeans, median, trimmed } from './welch.ts'

const { values } = parseArgs({
  options: {
    guesses: { type: 'string', default: '10000' },
    tries: { type: 'string', default: '2000' },
    memory: { type: 'string', default: '8' },
    passes: { type: 'string', default: '1' },
  },
})
const [GUESSES, TRIES] = [Number(values.guesses), Number(values.tries)]
const PARALLEL = 16
/** A t beyond this value occurs by chance in one of a thousand runs. */
const T_MAX = 3.29

const env = withDatabase(await startStack(), 'bench_sign_in')
await resetDatabase(env)
const settings = {
  ...{ TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'warn' },
  ...{ SIGN_IN_HASH_MEMORY_KIB: values.memory, SIGN_IN_HASH_PASSES: values.passes },
}
await using api = await ApiProcess.start(settings, env)
const client = new pg.Client(env.DATABASE_SUPERUSER_URL)
await client.connect()

const password = 'a phrase of several words'
const hasher = new PasswordHasher({ memoryKib: Number(values.memory), passes: Number(values.passes), concurrency: 1 })
const passwordHash = await hashNewPassword(hasher, { password, email: 'x@example.org', network: 'bench' })

/** Creates accounts with the password above. Returns their addresses. */
async function newAccounts(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `${randomUUID()}@example.org`)
  await client.query(
    `insert into people.accounts (id, email, email_key, name, password_hash)
     select gen_random_uuid(), email, email, 'Ann', $2 from unnest($1::text[]) as email`,
    [emails, passwordHash],
  )
  return emails
}

const newEmails = (count: number) => Array.from({ length: count }, () => `${randomUUID()}@example.org`)

let networks = 0
/** An address that was not used before, in a network of its own. */
const newAddress = () => `2001:db8:${(networks >> 16).toString(16)}:${(networks++ & 0xffff).toString(16)}::1`

function browserAt(address: string): TestBrowser {
  return new TestBrowser(api.send, new URL(api.baseUrl).origin, { 'x-forwarded-for': address })
}

const signIn = (email: string, given: string, browser = browserAt(newAddress())) =>
  browser.post('sign-in/password/', { email, password: given })

/** Guesses the password of an account. Returns how often each status was the response. */
async function guess(email: string, addressOf: () => string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let left = GUESSES
  const attacker = async () => {
    while (left-- > 0) {
      const { status } = await signIn(email, `wrong password ${left}`, browserAt(addressOf()))
      counts[status] = (counts[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, attacker))
  return counts
}

/** Requests of a person during and after an attack. */
async function attack(name: string, addressOf: () => string): Promise<Goal[]> {
  const [victim = '', other = ''] = await newAccounts(2)
  const home = newAddress()
  const session = browserAt(home)
  await signIn(victim, password, session)
  let isOver = false
  const attacked = guess(victim, addressOf).finally(() => {
    isOver = true
  })
  const others: number[] = []
  let refusedOthers = 0
  while (!isOver) {
    const startedAt = performance.now()
    if ((await signIn(other, password)).status !== 200) refusedOthers++
    others.push(performance.now() - startedAt)
  }
  const counts = await attacked
  const statusOf = async (at: TestBrowser) => (await signIn(victim, password, at)).status
  const elsewhere = await statusOf(browserAt(newAddress()))
  const keptSession = (await session.get('me/')).status
  const atHome = await statusOf(session)
  const { rows } = await client.query<{ locks: number }>(
    `select locks from people.sign_in_attempts
     where key = sha256(convert_to('account', 'UTF8') || '\\x00'::bytea || convert_to($1, 'UTF8'))`,
    [victim],
  )
  const responses = Object.entries(counts).map(([status, count]) => `${count} x ${status}`)
  process.stdout.write(
    `${GUESSES} guesses ${name}: ${responses.join(', ')}; locks of the account: ${rows[0]?.locks ?? 0}\n` +
      `  right password: elsewhere ${elsewhere}, where the person signed in before ${atHome}; session ${keptSession}\n` +
      `  another person meanwhile: ${others.length} sign-ins, ${refusedOthers} refused, median ${median(others).toFixed(1)} ms\n`,
  )
  return [
    { name: `${name}: guesses that signed in`, value: counts[200] ?? 0, max: 0 },
    { name: `${name}: status elsewhere`, value: elsewhere, min: 401 },
    { name: `${name}: status where the person signed in before`, value: atHome, max: 200 },
    { name: `${name}: status of the session`, value: keptSession, max: 200 },
    { name: `${name}: refused sign-ins of another person`, value: refusedOthers, max: 0 },
    { name: `${name}: locks`, value: rows[0]?.locks ?? 0, min: 1 },
    { name: `${name}: locks`, value: rows[0]?.locks ?? 0, max: 1 },
  ]
}

/** Compares the response times of a wrong password for two lists of accounts, tried in random order. */
async function compare(name: string, existing: readonly string[], unknown: readonly string[]): Promise<Goal[]> {
  const times = { existing: [] as number[], unknown: [] as number[] }
  const tries = [
    ...existing.map((email) => ({ email, kind: 'existing' as const })),
    ...unknown.map((email) => ({ email, kind: 'unknown' as const })),
  ]
  const order = tries.map((one) => ({ ...one, at: Math.random() })).toSorted((one, other) => one.at - other.at)
  for (const { email, kind } of order) {
    const browser = browserAt(newAddress())
    const startedAt = performance.now()
    const { status } = await signIn(email, 'a wrong password', browser)
    times[kind].push(performance.now() - startedAt)
    if (status !== 401) throw new Error(`a wrong password got ${status}`)
  }
  const all = compareMeans(times.existing, times.unknown)
  const middle = compareMeans(trimmed(times.existing), trimmed(times.unknown))
  process.stdout.write(
    `${name}, ${existing.length} tries each: median ${median(times.existing).toFixed(3)} ms existing, ` +
      `${median(times.unknown).toFixed(3)} ms unknown\n` +
      `  all: difference ${(all.difference * 1000).toFixed(1)} us, t = ${all.t.toFixed(2)}; ` +
      `middle 80 %: difference ${(middle.difference * 1000).toFixed(1)} us, t = ${middle.t.toFixed(2)}\n`,
  )
  return [
    { name: `${name}: t of all`, value: Math.abs(all.t), max: T_MAX },
    { name: `${name}: t of the middle`, value: Math.abs(middle.t), max: T_MAX },
  ]
}

const repeated = (email: string | undefined) => Array.from({ length: TRIES }, () => email ?? '')

const warmUp = newEmails(300)
for (const email of warmUp) await signIn(email, 'a wrong password')
const goals = [
  ...(await compare('accounts that are not locked', await newAccounts(TRIES), newEmails(TRIES))),
  ...(await attack('from many networks', newAddress)),
  ...(await attack('from one network', () => '192.0.2.1')),
]
const [lockedEmail, lockedUnknown] = [(await newAccounts(1))[0], newEmails(1)[0]]
for (let at = 0; at < 10; at++) {
  for (const email of [lockedEmail, lockedUnknown]) await signIn(email ?? '', 'a wrong password')
}
goals.push(...(await compare('accounts that are locked', repeated(lockedEmail), repeated(lockedUnknown))))
checkGoals(goals)
await client.end()
