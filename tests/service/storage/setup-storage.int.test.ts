/** Tests `setup-storage`, which creates the uploads bucket: it can be run again, and reports what it cannot set up. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { setupStorage } from '@reelkeep/server/main/setup-storage.ts'
import {
  type CommandResult,
  commandEnvironment,
  HttpProxy,
  Objects,
  partsOnly,
  resetPeer,
  respond,
  root,
  runInProcess,
  stackEnv,
} from '@reelkeep/testkit'
import { afterAll, describe, expect, it } from 'vitest'

const env = stackEnv()
const run = randomBytes(4).toString('hex')
/** A bucket that all runs share and that stays empty, because storage keeps a notification topic for each bucket. */
const Bucket = 'reelkeep-setup'
/** Buckets that this run creates and deletes. */
const ownBuckets = [
  `reelkeep-new-${run}`,
  `reelkeep-created-${run}`,
  `reelkeep-lesser-${run}`,
  `reelkeep-media-${run}`,
] as const
const [newBucket, createdBucket, lesserBucket, mediaBucket] = ownBuckets
const secret = randomBytes(24).toString('hex')
const objects = new Objects(env, Bucket)
afterAll(async () => {
  for (const own of ownBuckets) await deleteBucket(own)
  objects[Symbol.dispose]()
})

async function deleteBucket(name: string): Promise<void> {
  using inside = new Objects(env, name)
  for (const { key, version } of await inside.versions('')) {
    const command = new DeleteObjectCommand({ Bucket: name, Key: key, VersionId: version })
    await inside.client.send(command)
  }
  await inside.client.send(new DeleteBucketCommand({ Bucket: name }))
}

const settings = {
  STORAGE_UPLOADS_BUCKET: Bucket,
  UPLOAD_ORIGINS: 'https://one.example,https://two.example',
  STORAGE_EVENTS_URL: 'http://127.0.0.1:9',
  STORAGE_EVENTS_SECRET: secret,
}

/** Settings without notifications: no server would receive them, and storage would retry them forever. */
const unnotified = (bucket: string) => ({
  STORAGE_UPLOADS_BUCKET: bucket,
  STORAGE_EVENTS_URL: undefined,
})

type More = Record<string, string | undefined>

const setUp = (more: More = {}, args: readonly string[] = []): Promise<CommandResult> =>
  runInProcess((io) => setupStorage(args, io), { ...env, ...settings, ...more })

/** Runs the command in its own process, like an operator; this takes longer than in this process. */
function setUpByProcess(more: More = {}): Promise<CommandResult> {
  const command = join(root, 'server/src/main/setup-storage.ts')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command],
      { env: { ...commandEnvironment, ...env, ...settings, ...more } },
      (failure, output, error) => resolve({ code: Number(failure?.code ?? 0), output, error }),
    )
  })
}

/** Reads all settings of the bucket that the command changes. */
async function readSettings() {
  const { client } = objects
  const responses = [
    await client.send(new GetBucketVersioningCommand({ Bucket })),
    await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
    await client.send(new GetBucketCorsCommand({ Bucket })),
    await client.send(new GetBucketNotificationConfigurationCommand({ Bucket })),
  ]
  return responses.map(({ $metadata: _, ...settings }) => settings)
}

function preflight(origin: string, method: string) {
  return fetch(`${env.STORAGE_ENDPOINT}/${Bucket}/some/key`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type',
    },
  })
}

describe('setup-storage', () => {
  it('creates a missing bucket and prints its name', async () => {
    const there = new HeadBucketCommand({ Bucket: newBucket })
    await expect(objects.client.send(there)).rejects.toThrow()
    const { code, output, error } = await setUpByProcess(unnotified(newBucket))
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(output).toContain(`bucket ${newBucket}: exists`)
    await expect(objects.client.send(there)).resolves.toBeDefined()
  })

  it('configures the bucket for uploads, and does not print the secret', async () => {
    const { code, output, error } = await setUp()
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(output).toContain('notifications: sent to http://127.0.0.1:9')
    expect(output).not.toContain(secret)
    const [versioning, lifecycle, cors, notifications] = await readSettings()
    expect(versioning).toMatchObject({ Status: 'Enabled' })
    expect(lifecycle).toMatchObject({
      Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 22 } }],
    })
    expect(cors).toMatchObject({ CORSRules: [{ AllowedMethods: ['PUT', 'POST'] }] })
    expect(notifications).toMatchObject({ TopicConfigurations: [{ Id: 'uploads' }] })
  })

  it('changes no setting when run again', async () => {
    await setUp()
    const before = await readSettings()
    expect(await setUp()).toMatchObject({ code: 0, error: '' })
    expect(await readSettings()).toEqual(before)
  })

  it('adds a lifecycle rule for abandoned parts to the media bucket, and keeps existing rules', async () => {
    const media = { Bucket: mediaBucket }
    const rule = { ID: 'theirs', Status: 'Enabled', Filter: { Prefix: 'theirs/' } } as const
    const LifecycleConfiguration = { Rules: [{ ...rule, Expiration: { Days: 3000 } }] }
    await objects.client.send(new CreateBucketCommand(media))
    await objects.client.send(new PutBucketLifecycleConfigurationCommand({ ...media, LifecycleConfiguration }))
    await setUp({ STORAGE_MEDIA_BUCKET: mediaBucket })
    const { Rules } = await objects.client.send(new GetBucketLifecycleConfigurationCommand(media))
    expect(Rules?.map(({ ID }) => ID).sort()).toEqual(['abandoned-parts', 'theirs'])
  })

  it('keeps every version of every object when run again', async () => {
    using inside = new Objects(env, newBucket)
    for (const Body of ['first', 'second']) {
      const command = new PutObjectCommand({ Bucket: newBucket, Key: 'a/file', Body })
      await inside.client.send(command)
    }
    const versions = await inside.versions('')
    expect(versions).toHaveLength(2)
    expect(await setUp(unnotified(newBucket))).toMatchObject({ code: 0, error: '' })
    expect(await inside.versions('')).toEqual(versions)
    const contents = await Promise.all(versions.map((version) => inside.read(version)))
    expect(contents.map(String).sort()).toEqual(['first', 'second'])
  })

  it('accepts an existing bucket with its contents', async () => {
    const { client } = objects
    await client.send(new CreateBucketCommand({ Bucket: createdBucket }))
    await client.send(new PutObjectCommand({ Bucket: createdBucket, Key: 'old', Body: 'stored' }))
    expect((await setUp(unnotified(createdBucket))).code).toBe(0)
    using inside = new Objects(env, createdBucket)
    const [old] = await inside.versions('')
    expect(String(await inside.read(old ?? { key: '', version: '' }))).toBe('stored')
  })

  it('reports that notifications are not set up if there is no notification URL', async () => {
    const none = { STORAGE_EVENTS_URL: undefined, STORAGE_EVENTS_SECRET: undefined }
    const { code, output } = await setUp(none)
    expect(code).toBe(0)
    expect(output).toContain('notifications: not set up')
  })

  it('rejects a notification URL without a secret', async () => {
    const { code, error } = await setUp({
      STORAGE_EVENTS_URL: 'http://127.0.0.1:9',
      STORAGE_EVENTS_SECRET: undefined,
    })
    expect(code).toBe(1)
    expect(error).toContain('STORAGE_EVENTS_SECRET')
  })
})

describe('the upload key after setup-storage', () => {
  const { STORAGE_UPLOAD_ACCESS_KEY_ID: STORAGE_ACCESS_KEY_ID, STORAGE_UPLOAD_SECRET_ACCESS_KEY } = env
  const uploader = { ...env, STORAGE_ACCESS_KEY_ID, STORAGE_SECRET_ACCESS_KEY: STORAGE_UPLOAD_SECRET_ACCESS_KEY }
  const statusOf = (request: Promise<{ $metadata: { httpStatusCode?: number } }>) =>
    request.catch((error) => error).then(({ $metadata }) => $metadata.httpStatusCode)

  it('can put an object, which the service can read and delete, and can do nothing else', async () => {
    const { code, output } = await setUp(unnotified(newBucket))
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('upload key: may put objects') })
    using asUploader = new Objects(uploader, newBucket)
    using asService = new Objects(env, newBucket)
    const object = { Bucket: newBucket, Key: 'uploaded' }
    const put = await asUploader.client.send(new PutObjectCommand({ ...object, Body: 'uploaded' }))
    const version = { ...object, VersionId: put.VersionId }
    const copy = { Bucket: newBucket, Key: 'copy', CopySource: `${newBucket}/uploaded` }
    const refused = [
      asUploader.client.send(new GetObjectCommand(version)),
      asUploader.client.send(new GetObjectCommand({ Bucket: newBucket, Key: 'missing' })),
      asUploader.client.send(new CopyObjectCommand(copy)),
      asUploader.client.send(new PutObjectAclCommand({ ...object, ACL: 'public-read' })),
      asUploader.client.send(new DeleteObjectCommand(version)),
      asUploader.client.send(new ListObjectVersionsCommand({ Bucket: newBucket })),
      asUploader.client.send(new ListMultipartUploadsCommand({ Bucket: newBucket })),
      asUploader.client.send(new GetBucketPolicyCommand({ Bucket: newBucket })),
      asUploader.client.send(new PutObjectCommand({ Bucket: mediaBucket, Key: 'x', Body: 'x' })),
      asUploader.client.send(new CreateBucketCommand({ Bucket: `reelkeep-uploader-${run}` })),
    ]
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 403))
    expect(String(await asService.read({ key: 'uploaded', version: put.VersionId ?? '' }))).toBe('uploaded')
    await asService.client.send(new DeleteObjectCommand(version))
    expect(await asService.find('uploaded')).toBeUndefined()
  })

  it("keeps the operator's statements in the policy of the bucket", async () => {
    const theirs = { Sid: 'Theirs', Effect: 'Deny', Principal: '*', Action: 's3:PutObjectTagging', Resource: '*' }
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [theirs] })
    await objects.client.send(new PutBucketPolicyCommand({ Bucket: newBucket, Policy }))
    for (const _ of [1, 2]) await setUp(unnotified(newBucket))
    const stored = await objects.client.send(new GetBucketPolicyCommand({ Bucket: newBucket }))
    const ids = JSON.parse(stored.Policy ?? '').Statement.map(({ Sid }: { Sid: string }) => Sid)
    expect(ids).toEqual(['Theirs', 'ReelkeepUploadKeyPuts', 'ReelkeepServiceReads'])
  })

  it.each([
    ['is missing', { STORAGE_UPLOAD_ACCESS_KEY_ID: '', STORAGE_UPLOAD_SECRET_ACCESS_KEY: '' }, 'NOT set'],
    [
      'belongs to the same user as the main key',
      {
        STORAGE_UPLOAD_ACCESS_KEY_ID: env.STORAGE_ACCESS_KEY_ID,
        STORAGE_UPLOAD_SECRET_ACCESS_KEY: env.STORAGE_SECRET_ACCESS_KEY,
      },
      'its own policy must allow it',
    ],
  ])('is reported if it %s, and the policy of the bucket is not changed', async (_, key, words) => {
    const readPolicy = async () =>
      (await objects.client.send(new GetBucketPolicyCommand({ Bucket: createdBucket }))).Policy
    const before = await readPolicy()
    const { code, output } = await setUp({ ...unnotified(createdBucket), ...key })
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(words) })
    expect(await readPolicy()).toBe(before)
  })
})

describe('browsers after setup-storage', () => {
  it.each(['https://one.example', 'https://two.example'])('may upload from %s', async (origin) => {
    for (const method of ['POST', 'PUT']) {
      const response = await preflight(origin, method)
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(response.headers.get('access-control-allow-methods')).toContain(method)
    }
  })

  it.each([
    ['https://three.example', 'POST'],
    ['http://one.example', 'PUT'],
    ['https://one.example.evil.example', 'POST'],
    ['null', 'POST'],
  ])('may not upload from %s', async (origin, method) => {
    const response = await preflight(origin, method)
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('may neither read nor delete objects', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await preflight('https://one.example', method)).status, method).toBe(403)
    }
  })

  it('may upload from every origin by default, and only from the configured origins if there are any', async () => {
    await setUp({ UPLOAD_ORIGINS: undefined })
    expect((await preflight('https://three.example', 'POST')).status).toBe(200)
    await setUp()
    expect((await preflight('https://three.example', 'POST')).status).toBe(403)
  })
})

describe('setup-storage with limited storage', () => {
  it('configures the bucket for multipart uploads only, and prints what storage does not support', async () => {
    await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
    proxy.rules = [
      {
        match: ({ path }) => /[?&](lifecycle|cors|versioning)\b/.test(path),
        action: respond(501),
      },
    ]
    const { code, output } = await setUp({
      ...unnotified(lesserBucket),
      ...partsOnly,
      STORAGE_ENDPOINT: proxy.url,
    })
    expect(code).toBe(0)
    expect(output).toMatch(/^versioning: not changed, because STORAGE_VERSIONS is off/m)
    expect(output).toMatch(/^abandoned parts: NOT deleted/m)
    expect(output).toMatch(/^browsers: NOT allowed/m)
  })

  it('allows browsers only to upload parts, if storage supports CORS', async () => {
    await setUp({ ...unnotified(lesserBucket), ...partsOnly })
    const { CORSRules } = await objects.client.send(new GetBucketCorsCommand({ Bucket: lesserBucket }))
    expect(CORSRules?.map(({ AllowedMethods }) => AllowedMethods)).toEqual([['PUT']])
    const { Status } = await objects.client.send(new GetBucketVersioningCommand({ Bucket: lesserBucket }))
    expect(Status).toBeUndefined()
  })

  it('rejects the setting STORAGE_VERSIONS=off if forms are enabled', async () => {
    const { code, error } = await setUp({ ...unnotified(lesserBucket), STORAGE_VERSIONS: 'off' })
    expect(code).toBe(1)
    expect(error).toContain('only with STORAGE_FORMS=off')
  })
})

describe('setup-storage --wait', () => {
  it.each([
    ['closes connections', resetPeer],
    ['responds with 503', respond(503)],
  ])('retries while storage %s', async (_, action) => {
    await using proxy = await HttpProxy.open(env.STORAGE_ENDPOINT)
    // More than the S3 client retries by itself.
    const refused = 10
    proxy.rules = [{ match: () => proxy.requests.length <= refused, action }]
    const { code, error } = await setUp({ STORAGE_ENDPOINT: proxy.url }, ['--wait', '600'])
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(proxy.requests.length).toBeGreaterThan(refused)
  })

  it('fails at once if storage refuses the access key', async () => {
    const { code, error } = await setUp({ STORAGE_ACCESS_KEY_ID: 'nobody' }, ['--wait', '600'])
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('STORAGE_ACCESS_KEY_ID') })
  })

  it.each(['soon', '-1', '3601', '1.5'])('rejects the value %s', async (value) => {
    const { code, error } = await setUp({}, [`--wait=${value}`])
    expect({ code, error }).toMatchObject({ code: 2, error: expect.stringContaining('from 0 to 3600') })
  })
})

describe('setup-storage names the setting to correct', () => {
  async function errorWith(more: More, run: (more: More) => Promise<CommandResult> = setUp): Promise<string> {
    const { code, error } = await run(more)
    expect(code).toBe(1)
    expect(error).toMatch(/^reelkeep setup-storage: .+\n$/s)
    expect(error).not.toMatch(/ {4}at |UnknownError|undefined/)
    for (const value of [secret, env.STORAGE_SECRET_ACCESS_KEY, env.STORAGE_UPLOAD_SECRET_ACCESS_KEY])
      expect(error).not.toContain(value)
    return error
  }

  it('for an unknown access key', async () => {
    const error = await errorWith({ STORAGE_ACCESS_KEY_ID: 'nobody' }, setUpByProcess)
    expect(error).toContain('STORAGE_ACCESS_KEY_ID')
  })

  it('for a wrong secret', async () => {
    const error = await errorWith({ STORAGE_SECRET_ACCESS_KEY: 'wrong' })
    expect(error).toContain('STORAGE_SECRET_ACCESS_KEY')
  })

  it.each(['STORAGE_UPLOAD_ACCESS_KEY_ID', 'STORAGE_UPLOAD_SECRET_ACCESS_KEY'])('for a wrong %s', async (name) => {
    expect(await errorWith({ [name]: 'wrong' })).toContain(`Check ${name}.`)
  })

  it('for unreachable storage', async () => {
    const error = await errorWith({ STORAGE_ENDPOINT: 'http://127.0.0.1:9' })
    expect(error).toContain('STORAGE_ENDPOINT')
  })

  it('for a missing endpoint', async () => {
    expect(await errorWith({ STORAGE_ENDPOINT: '' })).toContain('STORAGE_ENDPOINT')
  })
})
