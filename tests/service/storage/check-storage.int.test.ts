/**
 * `check-storage`, run against the real storage and against the real storage behind a proxy that breaks something. All
 * probes together take long, so faults that do not interfere are tested together.
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
import { checkStorage } from '@reelkeep/server/diagnostics/storage-compatibility/check.ts'
import { compatibilityReport } from '@reelkeep/server/diagnostics/storage-compatibility/report.rules.ts'
import { runCheckStorage } from '@reelkeep/server/main/check-storage.ts'
import {
  commandEnvironment,
  freePort,
  Objects,
  partsOnly,
  type Ran,
  root,
  runInProcess,
  type Spoil,
  SpoilingRelay,
  stackEnv,
  storageOf,
  type WholeAnswer,
  type WholeRequest,
} from '@reelkeep/testkit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

/** Time limit for all probes of one storage on a busy machine. */
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
  runInProcess((io) => runCheckStorage(given, io), { ...env, ...settings })

/** As an operator runs it, which takes longer. */
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
  if (output === '') throw new Error(`The check did not run: ${error}`)
  const told: Told = JSON.parse(output)
  const failed = told.trials.filter(({ state }) => state === 'failed').map(({ name }) => name)
  return { code, failed, ...told }
}

/** Results for the real storage behind a proxy that breaks it; no setting takes long to propagate there. */
async function checkSpoilt(spoil: Spoil) {
  await using relay = await SpoilingRelay.open(env.STORAGE_ENDPOINT, spoil)
  const options = storageOf(env, { STORAGE_ENDPOINT: relay.url })
  const wish = { bucket: undefined, notifyAt: undefined, spreadSecondsMax: 1 }
  const { results: trials, leftBucket } = await checkStorage(options, wish, () => {})
  const failed = trials.filter(({ state }) => state === 'failed').map(({ name }) => name)
  return { ...compatibilityReport(trials), failed, trials, leftBucket }
}

type Found = Awaited<ReturnType<typeof checkSpoilt>>

/** The results as if only these probes had failed. */
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

/** Answers matching requests with `answer`; forwards the others to storage. */
const instead =
  (isMeant: (request: WholeRequest) => boolean, answer: WholeAnswer): Spoil =>
  (request, ask) =>
    isMeant(request) ? answer : ask()

/** Reports success for matching requests that storage refuses. */
const pleased =
  (isMeant: (request: WholeRequest) => boolean, status: number): Spoil =>
  async (request, ask) => {
    const answer = await ask()
    return isMeant(request) && answer.status >= 400 ? answerOf(status) : answer
  }

/** Combines several faults in one storage. */
const together = (...spoils: readonly Spoil[]): Spoil =>
  spoils.reduce(
    (others, spoil) => (request, ask) => spoil(request, async () => others(request, ask)),
  )

/** Every probe is documented there by name. */
const page = readFileSync(join(root, 'docs/operations/storage.md'), 'utf8')

describe('check-storage with the real storage', () => {
  it('passes every probe, notifications included, and leaves nothing behind', async () => {
    const at = `http://127.0.0.1:${await freePort()}`
    const found = await check({}, '--notify-at', at)
    expect(found).toMatchObject({ code: 0, verdict: 'everything', is_served: true, failed: [] })
    expect(found.trials.every(({ state }) => state === 'passed')).toBe(true)
    const untold = found.trials.filter(({ name }) => !page.includes(`| \`${name}\` |`))
    expect(untold).toEqual([])
    expect(found.trials.at(-1)?.detail).toContain(`arrived at ${at}`)
    expect(found.left_bucket).toBeNull()
  })
})

describe('the verdict is "parts only" if', () => {
  const unkept = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' }
  const inParts = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'on' }

  it.each<[string, Spoil, string[], object]>([
    [
      'forms accept any content and discard a second upload',
      together(firstFormOnly(), pleased(isForm, 204)),
      [
        ...['form-size', 'form-key', 'form-expiry', 'form-signature', 'form-fields', 'form-empty'],
        'form-versions',
      ],
      inParts,
    ],
    ['a form is answered, and its file is lost', instead(isForm, answerOf(204)), ['form'], inParts],
    ['versions are listed oldest first', oldestFirst, ['versions-listed', 'form-versions'], unkept],
  ])('%s', async (_, spoil, failed, settings) => {
    const found = await checkSpoilt(spoil)
    expect(found).toMatchObject({ verdict: 'parts only', failed })
    expect(found.settings).toEqual(settings)
    expect(found.leftBucket).toBeNull()
  })

  it('neither forms nor versions are supported, and the settings ask for neither', async () => {
    const spoil = instead((request) => isForm(request) || isAboutVersions(request), notImplemented)
    await using relay = await SpoilingRelay.open(env.STORAGE_ENDPOINT, spoil)
    const found = await check({ STORAGE_ENDPOINT: relay.url, ...partsOnly })
    expect(found).toMatchObject({ code: 0, verdict: 'parts only', is_served: true })
    expect(found).toMatchObject({ failed: ['versions', 'form'], left_bucket: null })
    expect(found.settings).toEqual(unkept)
  })

  it('forms are not supported; exit code 3, and the settings to change are named', async () => {
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

describe('the verdict is "unfit" if storage', () => {
  const wrongs: readonly [string, Spoil, string[]][] = [
    [
      'deletes nothing with DeleteObjects',
      instead((it) => asks(it, 'delete'), notImplemented),
      ['delete-many', 'versions-freed'],
    ],
    [
      'does not list multipart uploads',
      instead((it) => it.method === 'GET' && asks(it, 'uploads'), notImplemented),
      ['parts-abort'],
    ],
    [
      'accepts parts at expired URLs',
      pleased((it) => asks(it, 'X-Amz-Expires'), 200),
      ['parts-expiry'],
    ],
    ['makes its objects public', public200, ['private']],
    [
      'accepts any signature',
      pleased((it) => it.method === 'PUT' && it.path.includes('/unsigned/'), 200),
      ['signatures'],
    ],
    ['lists from a stale replica', lateLists(), ['list-after-write']],
    ['returns wrong bytes for a range', wrongRanges, ['ranges']],
  ]

  let found: Found
  beforeAll(async () => {
    found = await checkSpoilt(together(...wrongs.map(([, spoil]) => spoil)))
  })

  it('unfit storage is still cleaned up completely', () => {
    expect(found).toMatchObject({ verdict: 'unfit', leftBucket: null })
  })

  it.each(wrongs)('%s', (_, __, failed) => {
    expect(found.failed).toEqual(expect.arrayContaining(failed))
    expect(compatibilityReport(onlyThese(found, failed)).verdict).toBe('unfit')
  })

  it('starts no multipart upload', async () => {
    const spoil = instead((it) => it.method === 'POST' && asks(it, 'uploads'), notImplemented)
    const found = await checkSpoilt(spoil)
    expect(found).toMatchObject({ verdict: 'unfit', leftBucket: null })
    expect(found.failed).toContain('parts')
  })

  it('the command exits with 7 and suggests no setting', async () => {
    const isDeletion = (request: WholeRequest) =>
      asks(request, 'delete') ||
      (request.method === 'DELETE' && /^.[^/?]+\/?(\?|$)/.test(request.path))
    await using relay = await SpoilingRelay.open(
      env.STORAGE_ENDPOINT,
      instead(isDeletion, notImplemented),
    )
    const { code, output, error } = await runByProcess([], { STORAGE_ENDPOINT: relay.url })
    expect(code).toBe(7)
    const [, Bucket] = /^The bucket (\S+) could not be emptied/m.exec(error) ?? []
    // Succeeds only if the bucket is empty.
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
    expect(output).toMatch(/Verdict: unfit\. The service cannot run on this storage\.\n$/)
  })
})

describe('a warning without effect on the verdict', () => {
  const wrongs: readonly [string, Spoil, string[]][] = [
    [
      'pages may not upload',
      instead((it) => it.method === 'OPTIONS', answerOf(403)),
      ['cors-parts', 'cors-form'],
    ],
    ['If-None-Match is ignored', unmodified200, ['if-none-match']],
    [
      'Content-MD5 is ignored',
      pleased((it) => 'content-md5' in it.headers && it.path.includes('/md5/'), 200),
      ['content-md5'],
    ],
    [
      'there are no notifications',
      instead((it) => it.method === 'POST' && it.path === '/', notImplemented),
      ['notifications'],
    ],
    [
      'there is no lifecycle rule for abandoned parts',
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

  it('is the only result', () => {
    expect(found.verdict).toBe('everything')
    expect(found.failed.toSorted()).toEqual(wrongs.flatMap(([, , failed]) => failed).toSorted())
  })

  it.each(wrongs)('%s', (_, __, failed) => {
    const trials = found.trials.filter(({ name }) => failed.includes(name))
    expect(trials.map(({ state }) => state)).toEqual(failed.map(() => 'failed'))
    for (const { cure } of trials) expect(cure).toMatch(/\w\.$/)
  })
})

describe('check-storage ends early if', () => {
  it.each([
    [
      'storage is not reachable',
      { STORAGE_ENDPOINT: 'http://127.0.0.1:1' },
      [],
      'Storage does not answer',
    ],
    ['the secret is wrong', { STORAGE_SECRET_ACCESS_KEY: 'x' }, [], 'STORAGE_SECRET_ACCESS_KEY'],
    ['the given bucket does not exist', {}, ['--bucket', 'reelkeep-no-such'], 'Create it first'],
  ])('1: %s', async (_, settings, given, words) => {
    const { code, output, error } = await run(given, settings)
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(error).toContain(words)
  })

  it('the given bucket is not empty: exit code 1, and its contents stay', async () => {
    const Bucket = 'reelkeep-checked-full'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    using inside = new Objects(env, Bucket)
    await inside.client.send(new PutObjectCommand({ Bucket, Key: 'precious', Body: 'x' }))
    const { code, error } = await run(['--bucket', Bucket])
    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('is not empty') })
    expect(await inside.find('precious')).toBe('x')
  })

  it('the arguments are unknown: exit code 2', async () => {
    expect(await run(['--fast'])).toMatchObject({ code: 2, output: '' })
    expect(await run(['--notify-at', 'here'])).toMatchObject({ code: 2, output: '' })
  })
})

describe('a given bucket', () => {
  it('is used and left empty; storage without forms and versions passes if the settings ask for neither', async () => {
    const Bucket = 'reelkeep-checked-empty'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    const found = await check(partsOnly, '--bucket', Bucket)
    expect(found).toMatchObject({ code: 0, verdict: 'everything', failed: [] })
    using inside = new Objects(env, Bucket)
    expect([await inside.versions(''), await inside.unfinished('')]).toEqual([[], []])
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
  })

  it('that always keeps versions is detected; the report has one line per probe and the verdict at the end', async () => {
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

/** For each key. */
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

/** Answers every repeated list request with its first result. */
function lateLists(): Spoil {
  const known = new Map<string, WholeAnswer>()
  return async (request, ask) => {
    if (!asks(request, 'list-type') || !request.path.includes('listed')) return ask()
    const answer = known.get(request.path) ?? (await ask())
    known.set(request.path, answer)
    return answer
  }
}

/** For one object only, because other probes use ranges too. */
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
