/**
 * The command that judges a storage: the real one, and the real one with something wrong about it.
 * Every trial of all costs time, so what does not get in another's way is wrong at once.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { checkStorageByWords } from '@reelkeep/server/main/check-storage.ts'
import { checkStorage } from '@reelkeep/server/platform/storage/compatibility/check.ts'
import { judgeStorage } from '@reelkeep/server/platform/storage/compatibility/verdict.rules.ts'
import {
  commandEnvironment,
  freePort,
  Objects,
  partsOnly,
  type Ran,
  root,
  runHere,
  type Spoil,
  SpoilingRelay,
  stackEnv,
  storageOf,
  type WholeAnswer,
  type WholeRequest,
} from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

/** So long all trials of one storage may take on a machine that is busy. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const env = stackEnv()
const objects = new Objects(env, 'unused')
afterAll(() => objects[Symbol.dispose]())

type Trial = { name: string; need: string; state: string; detail: string; cure: string | null }
type Told = {
  verdict: string
  settings: Record<string, string>
  is_served: boolean
  left_bucket: string | null
  trials: Trial[]
}

type Settings = Record<string, string>

const run = (given: readonly string[], settings: Settings = {}): Promise<Ran> =>
  runHere((around) => checkStorageByWords(given, around), { ...env, ...settings })

/** As an operator types it, which takes longer. */
function runByProcess(given: readonly string[], settings: Settings = {}): Promise<Ran> {
  const command = join(root, 'server/src/main/check-storage.ts')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, ...given],
      { env: { ...commandEnvironment, ...env, ...settings } },
      (fault, output, error) => resolve({ code: Number(fault?.code ?? 0), output, error }),
    )
  })
}

async function check(settings: Settings = {}, ...given: readonly string[]) {
  const { code, output, error } = await run(['--json', ...given], settings)
  if (output === '') throw new Error(`It could not be tried: ${error}`)
  const told: Told = JSON.parse(output)
  const failed = told.trials.filter(({ state }) => state === 'failed').map(({ name }) => name)
  return { code, failed, ...told }
}

/** What is found of the real storage when it is spoilt in this way; no rule takes long to spread there. */
async function checkSpoilt(spoil: Spoil) {
  await using relay = await SpoilingRelay.open(env.STORAGE_ENDPOINT, spoil)
  const options = storageOf(env, { STORAGE_ENDPOINT: relay.url })
  const wish = { bucket: undefined, notifyAt: undefined, spreadSecondsMax: 1 }
  const { results: trials, leftBucket } = await checkStorage(options, wish, () => {})
  const failed = trials.filter(({ state }) => state === 'failed').map(({ name }) => name)
  return { ...judgeStorage(trials), failed, trials, leftBucket }
}

type Found = Awaited<ReturnType<typeof checkSpoilt>>

/** As if only these had failed of all that did. */
const onlyThese = ({ trials }: Found, names: readonly string[]) =>
  trials.map((trial) =>
    names.includes(trial.name) ? trial : { ...trial, state: 'passed' as const },
  )

const answerOf = (status: number, text = ''): WholeAnswer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(text),
})
const notImplemented = answerOf(501, '<Error><Code>NotImplemented</Code></Error>')

const isForm = ({ method, path }: WholeRequest) => method === 'POST' && /^.[^/?]+$/.test(path)
const asks = ({ path }: WholeRequest, name: string) => new RegExp(`[?&]${name}\\b`).test(path)
const isAboutVersions = (request: WholeRequest) =>
  ['versions', 'versioning', 'versionId'].some((name) => asks(request, name))

/** Answers these requests so, and leaves the others to storage. */
const instead =
  (isMeant: (request: WholeRequest) => boolean, answer: WholeAnswer): Spoil =>
  (request, ask) =>
    isMeant(request) ? answer : ask()

/** Says that it is fine with whatever storage refuses of these. */
const pleased =
  (isMeant: (request: WholeRequest) => boolean, status: number): Spoil =>
  async (request, ask) => {
    const answer = await ask()
    return isMeant(request) && answer.status >= 400 ? answerOf(status) : answer
  }

/** All of it is wrong with one storage. */
const together = (...spoils: readonly Spoil[]): Spoil =>
  spoils.reduce(
    (others, spoil) => (request, ask) => spoil(request, async () => others(request, ask)),
  )

/** Whoever reads a name looks for it there. */
const page = readFileSync(join(root, 'docs/operations/storage.md'), 'utf8')

describe('the real storage', () => {
  it('does everything, notifications and all, and nothing is left in it', async () => {
    const at = `http://127.0.0.1:${await freePort()}`
    const found = await check({}, '--notify-at', at)
    expect(found).toMatchObject({ code: 0, verdict: 'everything', is_served: true, failed: [] })
    expect(found.trials.every(({ state }) => state === 'passed')).toBe(true)
    const untold = found.trials.filter(({ name }) => !page.includes(`| \`${name}\` |`))
    expect(untold).toEqual([])
    expect(found.trials.at(-1)?.detail).toContain(`told ${at} of an object`)
    expect(found.left_bucket).toBeNull()
  })
})

describe('parts only', () => {
  const unkept = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' }
  const inParts = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'on' }

  it.each<[string, Spoil, string[], object]>([
    [
      'forms take whatever is posted with them, and throw away what is posted again',
      together(firstFormOnly(), pleased(isForm, 204)),
      [
        ...['form-size', 'form-key', 'form-expiry', 'form-signature', 'form-fields', 'form-empty'],
        'form-versions',
      ],
      inParts,
    ],
    ['a form is answered, and its file is lost', instead(isForm, answerOf(204)), ['form'], inParts],
    [
      'versions are listed with the oldest first',
      oldestFirst,
      ['versions-listed', 'form-versions'],
      unkept,
    ],
  ])('%s', async (_, spoil, failed, settings) => {
    const found = await checkSpoilt(spoil)
    expect(found).toMatchObject({ verdict: 'parts only', failed })
    expect(found.settings).toEqual(settings)
    expect(found.leftBucket).toBeNull()
  })

  it('neither forms nor versions are known, and a service that is set to it needs none', async () => {
    const spoil = instead((request) => isForm(request) || isAboutVersions(request), notImplemented)
    await using relay = await SpoilingRelay.open(env.STORAGE_ENDPOINT, spoil)
    const found = await check({ STORAGE_ENDPOINT: relay.url, ...partsOnly })
    expect(found).toMatchObject({ code: 0, verdict: 'parts only', is_served: true })
    expect(found).toMatchObject({ failed: ['versions', 'form'], left_bucket: null })
    expect(found.settings).toEqual(unkept)
  })

  it('3: forms are not known, and the settings are named', async () => {
    await using relay = await SpoilingRelay.open(
      env.STORAGE_ENDPOINT,
      instead(isForm, notImplemented),
    )
    const { code, output, error } = await runByProcess([], { STORAGE_ENDPOINT: relay.url })
    expect({ code, error }).toEqual({ code: 3, error: '' })
    expect(output).toMatch(
      /^FAILED {3}form {14}A signed form is refused with 501\.\n.*STORAGE_FORMS=off/m,
    )
    expect(output.match(/^(FAILED|warning) /gm)).toHaveLength(1)
    expect(output).toContain('Verdict: parts only. Set STORAGE_FORMS=off for the API, every worker')
  })
})

describe('unfit', () => {
  const wrongs: readonly [string, Spoil, string[]][] = [
    [
      'deletes nothing by DeleteObjects',
      instead((it) => asks(it, 'delete'), notImplemented),
      ['delete-many', 'versions-freed'],
    ],
    [
      'does not list uploads in parts',
      instead((it) => it.method === 'GET' && asks(it, 'uploads'), notImplemented),
      ['parts-abort'],
    ],
    [
      'takes parts by addresses that have expired',
      pleased((it) => asks(it, 'X-Amz-Expires'), 200),
      ['parts-expiry'],
    ],
    ['gives its objects to everybody', public200, ['private']],
    [
      'takes whatever signature',
      pleased((it) => it.method === 'PUT' && it.path.includes('/unsigned/'), 200),
      ['signatures'],
    ],
    ['lists from a copy that is behind', lateLists(), ['list-after-write']],
    ['answers other bytes than a range has', wrongRanges, ['ranges']],
  ]

  let found: Found
  beforeAll(async () => {
    found = await checkSpoilt(together(...wrongs.map(([, spoil]) => spoil)))
  })

  it('is a storage of which nothing is left to be cleared all the same', () => {
    expect(found).toMatchObject({ verdict: 'unfit', leftBucket: null })
  })

  it.each(wrongs)('%s', (_, __, failed) => {
    expect(found.failed).toEqual(expect.arrayContaining(failed))
    expect(judgeStorage(onlyThese(found, failed)).verdict).toBe('unfit')
  })

  it('begins no upload in parts', async () => {
    const spoil = instead((it) => it.method === 'POST' && asks(it, 'uploads'), notImplemented)
    const found = await checkSpoilt(spoil)
    expect(found).toMatchObject({ verdict: 'unfit', leftBucket: null })
    expect(found.failed).toContain('parts')
  })

  it('7: is said by the command, without a setting to try', async () => {
    const isDeletion = (request: WholeRequest) =>
      asks(request, 'delete') ||
      (request.method === 'DELETE' && /^.[^/?]+\/?(\?|$)/.test(request.path))
    await using relay = await SpoilingRelay.open(
      env.STORAGE_ENDPOINT,
      instead(isDeletion, notImplemented),
    )
    const { code, output, error } = await runByProcess([], { STORAGE_ENDPOINT: relay.url })
    expect(code).toBe(7)
    const [, Bucket] = /^The bucket (\S+) could not be cleared/m.exec(error) ?? []
    // All that was in it is gone, or it could not be deleted now.
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
    expect(output).toMatch(/Verdict: unfit\. The service cannot run on this storage\.\n$/)
  })
})

describe('a warning, and no other verdict', () => {
  const wrongs: readonly [string, Spoil, string[]][] = [
    [
      'pages may not upload',
      instead((it) => it.method === 'OPTIONS', answerOf(403)),
      ['cors-parts', 'cors-form'],
    ],
    ['If-None-Match is not looked at', unmodified200, ['if-none-match']],
    [
      'Content-MD5 is not looked at',
      pleased((it) => 'content-md5' in it.headers && it.path.includes('/md5/'), 200),
      ['content-md5'],
    ],
    [
      'there are no notifications',
      instead((it) => it.method === 'POST' && it.path === '/', notImplemented),
      ['notifications'],
    ],
    [
      'there is no rule for abandoned parts',
      instead((it) => asks(it, 'lifecycle'), notImplemented),
      ['abandoned-parts'],
    ],
    [
      'parts may have any length',
      pleased((it) => it.path.includes('/length/'), 200),
      ['parts-length'],
    ],
  ]

  let found: Found
  beforeAll(async () => {
    found = await checkSpoilt(together(...wrongs.map(([, spoil]) => spoil)))
  })

  it('is all that is found', () => {
    expect(found.verdict).toBe('everything')
    expect(found.failed.toSorted()).toEqual(wrongs.flatMap(([, , failed]) => failed).toSorted())
  })

  it.each(wrongs)('%s', (_, __, failed) => {
    const trials = found.trials.filter(({ name }) => failed.includes(name))
    expect(trials.map(({ state }) => state)).toEqual(failed.map(() => 'failed'))
    for (const { cure } of trials) expect(cure).toMatch(/\w\.$/)
  })
})

describe('a storage that cannot be tried', () => {
  it.each([
    ['nobody is there', { STORAGE_ENDPOINT: 'http://127.0.0.1:1' }, [], 'Storage does not answer'],
    ['the secret is wrong', { STORAGE_SECRET_ACCESS_KEY: 'x' }, [], 'STORAGE_SECRET_ACCESS_KEY'],
    ['the given bucket is not there', {}, ['--bucket', 'reelkeep-no-such'], 'Make it first'],
  ])('1: %s', async (_, settings, given, words) => {
    const { code, output, error } = await run(given, settings)
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(error).toContain(words)
  })

  it('1: the given bucket has something in it, which stays', async () => {
    const Bucket = 'reelkeep-checked-full'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    using inside = new Objects(env, Bucket)
    await inside.client.send(new PutObjectCommand({ Bucket, Key: 'precious', Body: 'x' }))
    const { code, error } = await run(['--bucket', Bucket])
    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('is not empty') })
    expect(await inside.find('precious')).toBe('x')
  })

  it('2: words that mean nothing', async () => {
    expect(await run(['--fast'])).toMatchObject({ code: 2, output: '' })
    expect(await run(['--notify-at', 'here'])).toMatchObject({ code: 2, output: '' })
  })
})

describe('a bucket that is given', () => {
  it('is used, and left empty; the storage is fine for a service that is set to less', async () => {
    const Bucket = 'reelkeep-checked-empty'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    const found = await check(partsOnly, '--bucket', Bucket)
    expect(found).toMatchObject({ code: 0, verdict: 'everything', failed: [] })
    using inside = new Objects(env, Bucket)
    expect([await inside.versions(''), await inside.unfinished('')]).toEqual([[], []])
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
  })

  it('and keeps versions of its own accord is found out, and told of in words, one line each, with the verdict at the end', async () => {
    const Bucket = 'reelkeep-checked-keeping'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await objects.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { code, output, error } = await runByProcess(['--bucket', Bucket])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(output.match(/^(FAILED|warning) +\S+/gm)).toEqual(['warning  deleted-for-good'])
    expect(output).toMatch(/^ok {7}form-size {9}A form with a larger file .* refused \(400\)\.$/m)
    expect(output).toMatch(/\nVerdict: everything\. The settings are right for it\.\n$/)
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
  })
})

async function oldestFirst(request: WholeRequest, ask: () => Promise<WholeAnswer>) {
  const answer = await ask()
  if (!asks(request, 'versions')) return answer
  const text = answer.body.toString()
  const listed = text.match(/<Version>.*?<\/Version>/gs) ?? []
  const rest = text.replaceAll(/<Version>.*?<\/Version>/gs, '')
  const reversed = `${listed.toReversed().join('')}</ListVersionsResult>`
  return { ...answer, body: Buffer.from(rest.replace('</ListVersionsResult>', reversed)) }
}

/** Of each key. */
function firstFormOnly(): Spoil {
  const seen = new Set<string>()
  return (request, ask) => {
    if (!isForm(request)) return ask()
    const key = /name="key"\r\n\r\n(.*?)\r\n/.exec(request.body.toString('latin1'))?.[1] ?? ''
    if (seen.has(key)) return answerOf(204)
    seen.add(key)
    return ask()
  }
}

const isUnsigned = ({ path, headers }: WholeRequest) =>
  !headers.authorization && !path.includes('?')

async function public200(request: WholeRequest, ask: () => Promise<WholeAnswer>) {
  return request.method === 'GET' && isUnsigned(request) ? answerOf(200, 'x') : ask()
}

/** Each list is told as it was when it was first asked for. */
function lateLists(): Spoil {
  const known = new Map<string, WholeAnswer>()
  return async (request, ask) => {
    if (!asks(request, 'list-type') || !request.path.includes('listed')) return ask()
    const answer = known.get(request.path) ?? (await ask())
    known.set(request.path, answer)
    return answer
  }
}

/** Of one object, since much else is read in ranges. */
async function wrongRanges({ path }: WholeRequest, ask: () => Promise<WholeAnswer>) {
  const answer = await ask()
  return answer.status === 206 && path.includes('/range/')
    ? { ...answer, body: Buffer.alloc(answer.body.length) }
    : answer
}

async function unmodified200(_: WholeRequest, ask: () => Promise<WholeAnswer>) {
  const answer = await ask()
  return answer.status === 304 ? { ...answer, status: 200, body: Buffer.from('x') } : answer
}
