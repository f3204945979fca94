/**
 * Runs `check-storage` against the real storage, with and without a proxy that causes faults. A run takes long, so
 * faults that do not interfere with each other are tested in one run.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { checkCompatibility } from '@reelkeep/server/diagnostics/storage-compatibility/check-compatibility.ts'
import { determineCompatibility } from '@reelkeep/server/diagnostics/storage-compatibility/compatibility.rules.ts'
import { runCheckStorage } from '@reelkeep/server/main/check-storage.ts'
import {
  type Action,
  type CommandResult,
  changeResponse,
  commandEnvironment,
  type Exchange,
  freePort,
  HttpProxy,
  Objects,
  type ProxyRequest,
  type ProxyResponse,
  partsOnly,
  partsOnlyRule,
  type Rule,
  respond,
  root,
  runInProcess,
  stackEnv,
  storageOf,
} from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

/** Timeout for a complete run of all checks on a busy machine. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const env = stackEnv()
const objects = new Objects(env, 'unused')
afterAll(() => objects[Symbol.dispose]())

type Result = { name: string; requirement: string; status: string; hint: string | null } & {
  detail: string
}
type Report = {
  compatibility: string
  settings: Record<string, string>
  supports_current_settings: boolean
  leftover_bucket: string | null
  results: Result[]
}

type Settings = Record<string, string>

const run = (given: readonly string[], settings: Settings = {}): Promise<CommandResult> =>
  runInProcess((io) => runCheckStorage(given, io), { ...env, ...settings })

/** Runs the command in its own process, like an operator; this takes longer than in this process. */
function runByProcess(given: readonly string[], settings: Settings = {}): Promise<CommandResult> {
  const command = join(root, 'server/src/main/check-storage.ts')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, ...given],
      { env: { ...commandEnvironment, ...env, ...settings } },
      (failure, output, error) => resolve({ code: Number(failure?.code ?? 0), output, error }),
    )
  })
}

const failuresIn = (results: readonly Pick<Result, 'name' | 'status'>[]) =>
  results.filter(({ status }) => status === 'failed' || status === 'warning').map(({ name }) => name)

async function check(settings: Settings = {}, ...given: readonly string[]) {
  const { code, output, error } = await run(['--json', ...given], settings)
  if (output === '') throw new Error(`The check did not run: ${error}`)
  const report: Report = JSON.parse(output)
  return { code, failed: failuresIn(report.results), ...report }
}

async function openProxy(...rules: Rule<Exchange>[]) {
  const proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
  proxy.rules = rules
  return proxy
}

/** Checks the real storage behind a proxy with these faults. Waits only briefly for settings to propagate. */
async function checkWith(...rules: Rule<Exchange>[]) {
  await using proxy = await openProxy(...rules)
  const options = storageOf(env, { STORAGE_ENDPOINT: proxy.url })
  const limits = { bucket: undefined, notifyAt: undefined, propagationSecondsMax: 1 }
  const { results, leftoverBucket } = await checkCompatibility(options, limits, () => {})
  const failed = failuresIn(results)
  return { ...determineCompatibility(results), failed, results, leftoverBucket }
}

type Found = Awaited<ReturnType<typeof checkWith>>

/** Returns the results as if only the given checks had failed. */
const onlyThese = ({ results }: Found, names: readonly string[]) =>
  results.map((result) => (names.includes(result.name) ? result : { ...result, status: 'ok' as const }))

const notImplemented = respond(501, '<Error><Code>NotImplemented</Code></Error>', {
  'content-type': 'application/xml',
})

type Match = (request: ProxyRequest) => boolean
const isForm: Match = ({ method, path }) => method === 'POST' && /^.[^/?]+$/.test(path)
const hasParameter = ({ path }: ProxyRequest, name: string) => new RegExp(`[?&]${name}\\b`).test(path)

/** Returns 501 for matching requests. */
const unsupported = (match: Match): Rule<Exchange> => ({ match, action: notImplemented })

/** Reports success for matching requests that storage rejects. */
const accepting = (match: Match, status: number): Rule<Exchange> => ({
  match,
  action: changeResponse((response) =>
    response.status >= 400 ? { status, headers: {}, body: Buffer.alloc(0) } : response,
  ),
})

const oldestFirst: Rule<Exchange> = {
  match: (request) => hasParameter(request, 'versions'),
  action: changeResponse((response) => {
    const text = response.body.toString()
    const listed = text.match(/<Version>.*?<\/Version>/gs) ?? []
    const rest = text.replaceAll(/<Version>.*?<\/Version>/gs, '')
    const reversed = `${listed.toReversed().join('')}</ListVersionsResult>`
    return { ...response, body: Buffer.from(rest.replace('</ListVersionsResult>', reversed)) }
  }),
}

const publicObjects: Rule<Exchange> = {
  match: ({ method, path, headers }) => method === 'GET' && !headers.authorization && !path.includes('?'),
  action: respond(200, 'x'),
}

/** Returns the first result for every repeated list request. */
function staleLists(): Rule<Exchange> {
  const first = new Map<string, ProxyResponse>()
  return {
    match: (request) => hasParameter(request, 'list-type') && request.path.includes('listed'),
    action: changeResponse((response, { path }) => {
      const earliest = first.get(path) ?? response
      first.set(path, earliest)
      return earliest
    }),
  }
}

/** Returns wrong bytes for ranges of one object only, because other checks use ranges too. */
const wrongRanges: Rule<Exchange> = {
  match: ({ path }) => path.includes('/range/'),
  action: changeResponse((response) =>
    response.status === 206 ? { ...response, body: Buffer.alloc(response.body.length) } : response,
  ),
}

const ignoredCondition: Rule<Exchange> = {
  match: ({ headers }) => headers['if-none-match'] !== undefined,
  action: changeResponse((response) =>
    response.status === 304 ? { ...response, status: 200, body: Buffer.from('x') } : response,
  ),
}

/** Reports success for every form, but forwards only the first one for each key. */
function acceptFirstForm(): Action<Exchange> {
  const keys = new Set<string>()
  return async (exchange) => {
    const body = (await exchange.body()).toString('latin1')
    const key = /name="key"\r\n\r\n(.*?)\r\n/.exec(body)?.[1] ?? ''
    if (!keys.has(key)) await exchange.send()
    keys.add(key)
    await respond(204)(exchange)
  }
}

/** Drops the header like a proxy in front of storage. */
const dropCopySource: Action<Exchange> = (exchange) => {
  delete exchange.headers['x-amz-copy-source']
  exchange.forward()
}

const noUploadKey = { STORAGE_UPLOAD_ACCESS_KEY_ID: '', STORAGE_UPLOAD_SECRET_ACCESS_KEY: '' }

/** Creates a key of the upload user itself instead of its write-only subuser. */
async function createFullUploadKey() {
  const [id, secret] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')]
  const conf = join(root, '.stack', stackEnvironment.STACK_NAME, 'ceph/ceph.conf')
  const manageKey = (...args: readonly string[]) =>
    promisify(execFile)('radosgw-admin', [
      '-c',
      conf,
      'key',
      ...args,
      '--uid=development-uploads',
      `--access-key=${id}`,
    ])
  await manageKey('create', '--key-type=s3', `--secret-key=${secret}`)
  return {
    settings: { STORAGE_UPLOAD_ACCESS_KEY_ID: id, STORAGE_UPLOAD_SECRET_ACCESS_KEY: secret },
    [Symbol.asyncDispose]: async () => void (await manageKey('rm')),
  }
}

/** The page that must document the name of every check. */
const page = readFileSync(join(root, 'docs/operations/storage.md'), 'utf8')

describe('check-storage with the real storage', () => {
  it('passes every check, including notifications, and leaves no bucket behind', async () => {
    const at = `http://127.0.0.1:${await freePort()}`
    const found = await check({}, '--notify-at', at)
    expect(found).toMatchObject({
      code: 0,
      compatibility: 'full',
      supports_current_settings: true,
      failed: [],
    })
    expect(found.results.every(({ status }) => status === 'ok')).toBe(true)
    const undocumented = found.results.filter(({ name }) => !page.includes(`| \`${name}\` |`))
    expect(undocumented).toEqual([])
    expect(found.results.at(-1)?.detail).toContain(`arrived at ${at}`)
    expect(found.leftover_bucket).toBeNull()
  })
})

describe('check-storage reports the compatibility parts_only if', () => {
  const unkept = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'off' }
  const inParts = { STORAGE_FORMS: 'off', STORAGE_VERSIONS: 'on' }

  it.each<[string, Rule<Exchange>, string[], object]>([
    [
      'forms accept any content and discard a second upload',
      { match: isForm, action: acceptFirstForm() },
      [...['form-size', 'form-key', 'form-expiry', 'form-signature', 'form-fields', 'form-empty'], 'form-versions'],
      inParts,
    ],
    ['storage accepts a form and loses its file', { match: isForm, action: respond(204) }, ['form'], inParts],
    ['versions are listed oldest first', oldestFirst, ['versions-listed', 'form-versions'], unkept],
  ])('%s', async (_, rule, failed, settings) => {
    const found = await checkWith(rule)
    expect(found).toMatchObject({ compatibility: 'parts_only', failed })
    expect(found.settings).toEqual(settings)
    expect(found.leftoverBucket).toBeNull()
  })

  it('neither forms nor versions are supported, and the settings require neither', async () => {
    await using proxy = await openProxy(partsOnlyRule)
    const found = await check({ STORAGE_ENDPOINT: proxy.url, ...partsOnly })
    expect(found).toMatchObject({
      code: 0,
      compatibility: 'parts_only',
      supports_current_settings: true,
    })
    expect(found).toMatchObject({ failed: ['versions', 'form'], leftover_bucket: null })
    expect(found.settings).toEqual(unkept)
  })

  it('forms are not supported; it exits with 3 and names the settings to change', async () => {
    await using proxy = await openProxy(unsupported(isForm))
    const { code, output, error } = await runByProcess([], { STORAGE_ENDPOINT: proxy.url })
    expect({ code, error }).toEqual({ code: 3, error: '' })
    expect(output).toMatch(/^✗ form {2}A signed form is refused with 501\.\n {4}→ .*STORAGE_FORMS=off/m)
    expect(output.match(/^[✗!] /gm)).toHaveLength(1)
    expect(output).toContain('Compatibility: parts_only. Set STORAGE_FORMS=off for the API, every worker')
  })
})

describe('check-storage reports that storage is incompatible if storage', () => {
  const wrongs: readonly [string, Rule<Exchange>, string[]][] = [
    [
      'deletes nothing with DeleteObjects',
      unsupported((it) => hasParameter(it, 'delete')),
      ['delete-many', 'versions-deleted'],
    ],
    [
      'does not list multipart uploads',
      unsupported((it) => it.method === 'GET' && hasParameter(it, 'uploads')),
      ['parts-abort'],
    ],
    ['accepts parts at expired URLs', accepting((it) => hasParameter(it, 'X-Amz-Expires'), 200), ['parts-expiry']],
    ['makes its objects public', publicObjects, ['private']],
    [
      'accepts any signature',
      accepting((it) => it.method === 'PUT' && it.path.includes('/unsigned/'), 200),
      ['signatures'],
    ],
    ['lists from a stale replica', staleLists(), ['list-after-write']],
    ['returns wrong bytes for a range', wrongRanges, ['ranges']],
  ]

  let found: Found
  beforeAll(async () => {
    found = await checkWith(...wrongs.map(([, rule]) => rule))
  })

  it('has several faults at once; the bucket of the check is still deleted', () => {
    expect(found).toMatchObject({ compatibility: 'incompatible', leftoverBucket: null })
  })

  it.each(wrongs)('%s', (_, __, failed) => {
    expect(found.failed).toEqual(expect.arrayContaining(failed))
    expect(determineCompatibility(onlyThese(found, failed)).compatibility).toBe('incompatible')
  })

  it('does not support multipart uploads', async () => {
    const found = await checkWith(unsupported((it) => it.method === 'POST' && hasParameter(it, 'uploads')))
    expect(found).toMatchObject({ compatibility: 'incompatible', leftoverBucket: null })
    expect(found.failed).toContain('parts')
  })

  it('does not delete objects; the command exits with 7 and suggests no setting', async () => {
    const isDeletion = (request: ProxyRequest) =>
      hasParameter(request, 'delete') || (request.method === 'DELETE' && /^.[^/?]+\/?(\?|$)/.test(request.path))
    await using proxy = await openProxy(unsupported(isDeletion))
    const { code, output, error } = await runByProcess([], { STORAGE_ENDPOINT: proxy.url })
    expect(code).toBe(7)
    const [, Bucket] = /^The bucket (\S+) could not be emptied/m.exec(error) ?? []
    // The deletion succeeds only if the bucket is empty.
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
    expect(output).toMatch(/Compatibility: incompatible\. The service cannot run on this storage\.\n$/)
  })
})

describe('check-storage reports that storage copies other objects into a part if', () => {
  it('no upload key is set, because the main key may read everything; it exits with 7', async () => {
    const found = await check(noUploadKey)
    expect(found).toMatchObject({ code: 7, compatibility: 'incompatible', failed: ['parts-copy'] })
    const { detail, hint } = found.results.find(({ name }) => name === 'parts-copy') ?? {}
    expect(detail).toContain('for an object that does not exist, storage answered 404 NoSuchKey')
    expect(hint).toContain('STORAGE_UPLOAD_ACCESS_KEY_ID')
  })

  it('the upload key is no key of a write-only subuser, and may read what it put', async () => {
    await using key = await createFullUploadKey()
    const found = await check(key.settings)
    expect(found).toMatchObject({ code: 7, compatibility: 'incompatible', failed: ['parts-copy'] })
    const { detail } = found.results.find(({ name }) => name === 'parts-copy') ?? {}
    expect(detail).toContain('for an uploaded object, storage answered 400')
  })

  it('the answers differ for objects that exist', async () => {
    const isMissing: Match = ({ headers }) => /\/missing\//.test(String(headers['x-amz-copy-source']))
    const found = await checkWith({ match: isMissing, action: respond(403, '<Error><Code>NoKey</Code></Error>') })
    expect(found).toMatchObject({ compatibility: 'incompatible', failed: ['parts-copy'] })
  })
})

describe('check-storage accepts storage without an upload key if storage', () => {
  const isCopy: Match = ({ headers }) => 'x-amz-copy-source' in headers

  it.each<[string, Rule<Exchange>]>([
    ['refuses headers that are not signed', { match: isCopy, action: respond(403) }],
    ['ignores the header', { match: isCopy, action: dropCopySource }],
  ])('%s', async (_, rule) => {
    await using proxy = await openProxy(rule)
    const found = await check({ ...noUploadKey, STORAGE_PUBLIC_ENDPOINT: proxy.url })
    expect(found).toMatchObject({ code: 0, compatibility: 'full', failed: [] })
  })
})

describe('check-storage warns, but reports full compatibility, if', () => {
  const wrongs: readonly [string, Rule<Exchange>, string[]][] = [
    [
      'pages may not upload',
      { match: ({ method }) => method === 'OPTIONS', action: respond(403) },
      ['cors-parts', 'cors-form'],
    ],
    ['If-None-Match is ignored', ignoredCondition, ['if-none-match']],
    [
      'Content-MD5 is ignored',
      accepting((it) => 'content-md5' in it.headers && it.path.includes('/md5/'), 200),
      ['content-md5'],
    ],
    ['there are no notifications', unsupported((it) => it.method === 'POST' && it.path === '/'), ['notifications']],
    [
      'there is no lifecycle rule for abandoned parts',
      unsupported((it) => hasParameter(it, 'lifecycle')),
      ['abandoned-parts'],
    ],
    ['parts may have any length', accepting((it) => it.path.includes('/length/'), 200), ['parts-length']],
  ]

  let found: Found
  beforeAll(async () => {
    found = await checkWith(...wrongs.map(([, rule]) => rule))
  })

  it('all minor problems occur at once', () => {
    expect(found.compatibility).toBe('full')
    expect(found.failed.toSorted()).toEqual(wrongs.flatMap(([, , failed]) => failed).toSorted())
  })

  it.each(wrongs)('%s', (_, __, failed) => {
    const results = found.results.filter(({ name }) => failed.includes(name))
    expect(results.map(({ status }) => status)).toEqual(failed.map(() => 'warning'))
    for (const { hint } of results) expect(hint).toMatch(/\w\.$/)
  })
})

describe('check-storage ends early if', () => {
  it.each([
    ['storage is not reachable', { STORAGE_ENDPOINT: 'http://127.0.0.1:1' }, [], 'Storage does not respond'],
    ['the secret is wrong', { STORAGE_SECRET_ACCESS_KEY: 'x' }, [], 'STORAGE_SECRET_ACCESS_KEY'],
    ['the given bucket does not exist', {}, ['--bucket', 'reelkeep-no-such'], 'Create it first'],
  ])('%s; it exits with 1', async (_, settings, given, words) => {
    const { code, output, error } = await run(given, settings)
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(error).toContain(words)
  })

  it('the given bucket is not empty; it exits with 1 and keeps the contents', async () => {
    const Bucket = 'reelkeep-checked-full'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    using inside = new Objects(env, Bucket)
    await inside.client.send(new PutObjectCommand({ Bucket, Key: 'precious', Body: 'x' }))
    const { code, error } = await run(['--bucket', Bucket])
    expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('is not empty') })
    expect(await inside.find('precious')).toBe('x')
  })

  it('the arguments are invalid; it exits with 2', async () => {
    expect(await run(['--fast'])).toMatchObject({ code: 2, output: '' })
    expect(await run(['--notify-at', 'here'])).toMatchObject({ code: 2, output: '' })
  })
})

describe('check-storage with a given bucket', () => {
  it('uses the bucket and leaves it empty, and passes without forms and versions if the settings require neither', async () => {
    const Bucket = 'reelkeep-checked-empty'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    const found = await check(partsOnly, '--bucket', Bucket)
    expect(found).toMatchObject({ code: 0, compatibility: 'full', failed: [] })
    using inside = new Objects(env, Bucket)
    expect([await inside.versions(''), await inside.unfinished('')]).toEqual([[], []])
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
  })

  it('warns if the bucket always keeps versions, and prints one line per check and the compatibility at the end', async () => {
    const Bucket = 'reelkeep-checked-keeping'
    await objects.client.send(new CreateBucketCommand({ Bucket }))
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await objects.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { code, output, error } = await runByProcess(['--bucket', Bucket])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(output.match(/^[✗!] \S+/gm)).toEqual(['! deleted-for-good'])
    expect(output).toMatch(/^✓ form-size {2}A form with a larger file .* refused \(400\)\.$/m)
    expect(output).toMatch(/\nCompatibility: full\. The settings are right for it\.\n$/)
    await objects.client.send(new DeleteBucketCommand({ Bucket }))
  })
})
