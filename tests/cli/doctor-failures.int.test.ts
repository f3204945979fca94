/** Causes real failures of a service without a worker, one at a time. Only the check for the failure must fail. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import {
  DeleteBucketCorsCommand,
  DeleteBucketPolicyCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3'
import { Caller, HttpProxy, type ProxyRequest, respond, root, Superuser, setUpUploads } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  DoctorFixture,
  doctor,
  doctorAtTerminal,
  doctorProcess,
  hintOf,
  nowhere,
  origin,
  serverDoctor,
  serverDoctorHere,
  startDoctor,
  startServerDoctor,
} from './doctor-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(DoctorFixture.open('ill'))
const api = await opened(fixture.startApi())
const caller = await fixture.newCaller(api.baseUrl)
await fixture.notify(api)

/** Makes doctor wait up to 60 seconds for the notification: without a worker, nothing else detects a file. */
const quick = ['--quick', '--wait', '60']
/** The check that always fails in these tests, because no worker runs. */
const noWorker = 'service-workers'

describe('doctor checks of the API', () => {
  it('api-reachable and operations-reachable fail if the API is not running', async () => {
    const ran = await doctorProcess({ ...caller, url: nowhere }, ['--operations', nowhere])
    expect(ran.code).toBe(7)
    expect(ran.failures).toEqual(['api-reachable', 'operations-reachable'])
    expect(hintOf(ran, 'api-reachable')).toContain('REELKEEP_URL')
    const others = ran.results.filter(({ name }) => !ran.failures.includes(name))
    for (const { status, detail } of others) {
      expect({ status, detail }).toEqual({
        status: 'skipped',
        detail: 'Not checked, because api-reachable failed.',
      })
    }
  })

  it('api-is-reelkeep fails if the URL belongs to another service', async () => {
    const ran = await doctor({ ...caller, url: fixture.env.STORAGE_ENDPOINT })
    expect(ran.failures).toEqual(['api-is-reelkeep'])
    expect(hintOf(ran, 'api-is-reelkeep')).toContain('proxy')
  })

  it('service-migrations fails if the database lacks a migration', async () => {
    await using superuser = await Superuser.open(fixture.env)
    // The readiness result is cached for a second.
    const ready = async () => (await fetch(`${api.operationsUrl}/readyz`)).status
    const version = '(select max(version) from schema_migrations)'
    await superuser.query(`update schema_migrations set version = 'x' || version where version = ${version}`)
    await expect.poll(ready).toBe(503)
    const inside = await serverDoctor('api', fixture)
    await superuser.query("update schema_migrations set version = substr(version, 2) where version like 'x%'")
    await expect.poll(ready).toBe(200)
    expect(inside.failures).toEqual(['service-migrations'])
    expect(hintOf(inside, 'service-migrations')).toContain('server/migrate')
  })
})

describe('doctor in a terminal', () => {
  it('replaces the description of a running check with its result', async () => {
    const away = { ...caller, url: nowhere }
    const { code, stdout } = await doctorAtTerminal(away).ended()
    expect(code).toBe(7)
    const [seen, ...notErased] = stdout.split('… ').slice(1)
    expect(notErased).toEqual([])
    expect(stripVTControlCharacters(seen ?? '')).toMatch(/^API reachability\r\n✗ api-reach/)
    expect(seen).toContain('\u001b[1A\u001b[2K')
    expect(stdout).toContain('Failed checks:')
  })

  it.each(['https://studio.example/', 'null'])('rejects the invalid origin %s with exit code 2', async (wrong) => {
    const { code, stderr } = await startDoctor(caller, '--origin', wrong).ended()
    expect(code).toBe(2)
    expect(stderr).toContain(`not “${wrong}”`)
  })
})

describe('the server doctor', () => {
  it('rejects an unknown argument with exit code 2', async () => {
    const { code, stdout, stderr } = await startServerDoctor(['wroker'], fixture).ended()
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Unknown target “wroker”. Use api or worker.')
    expect(stderr).toContain('reelkeep doctor [api|worker]')
  })

  it.each([
    ['DATABASE_WORKER_URL', 'service-database', 'worker'],
    ['DATABASE_URL', 'worker-database', 'api'],
  ])('runs the configured checks and exits with 1 if %s is missing', async (name, found, lacks) => {
    const settings = { ...fixture.settings, [name]: '' }
    const { code, stdout, stderr } = await startServerDoctor([], { ...fixture, settings }).ended()
    expect(stdout).toContain(`✓ ${found}  `)
    expect(stderr).toContain(`${lacks} was not checked. Invalid settings:\n  ${name}: `)
    expect(code).toBe(1)
  })
})

describe('doctor checks of the token', () => {
  it('token fails if the token was revoked', async () => {
    const revoked = await fixture.newCaller(api.baseUrl)
    const itself = new Caller(api.send, revoked.organizationId, revoked.token)
    const { body } = await itself.get<{ id: string }>('tokens/current/')
    await itself.delete(`tokens/${body.id}/`)
    const ran = await doctor(revoked)
    expect(ran.failures).toEqual(['token'])
    expect(hintOf(ran, 'token')).toContain('reelkeep login')
  })

  it('organization fails if the token belongs to another organization', async () => {
    const { organizationId } = await fixture.newCaller(api.baseUrl)
    const ran = await doctor({ ...caller, organizationId })
    expect(ran.failures).toEqual(['organization'])
    expect(hintOf(ran, 'organization')).toContain('REELKEEP_ORGANIZATION')
  })

  it('token-scopes fails if the token is read-only', async () => {
    const ran = await doctor(await fixture.newCaller(api.baseUrl, 'assets:read'))
    expect(ran.failures).toEqual(['token-scopes'])
    const result = ran.results.find(({ name }) => name === 'token-scopes')
    expect(result?.detail).toContain('lacks assets:write,')
  })
})

describe('doctor checks of the clocks', () => {
  let library: string
  beforeAll(async () => {
    const { stdout } = await run(join(root, 'stack/clock-tools'))
    library = stdout.trim()
  })

  const tenMinutesAhead = () => ({
    LD_PRELOAD: library,
    FAKETIME: '+10m',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  })

  it('clock fails if the clock of this machine is ahead', async () => {
    const ran = await doctorProcess(caller, quick, tenMinutesAhead())
    expect({ failures: ran.failures, warnings: ran.warnings }).toEqual({
      failures: ['clock'],
      warnings: [],
    })
    expect(hintOf(ran, 'clock')).toContain('NTP')
  })

  it('api-clock fails if the clock of the API is ahead, and no other check fails', async () => {
    await using ahead = await fixture.startApi(tenMinutesAhead())
    const ran = await doctor(await fixture.newCaller(ahead.baseUrl), quick)
    expect({ failures: ran.failures, warnings: ran.warnings }).toEqual({
      failures: ['api-clock'],
      warnings: [],
    })
  })
})

const noUploadKey = { STORAGE_UPLOAD_ACCESS_KEY_ID: '', STORAGE_UPLOAD_SECRET_ACCESS_KEY: '' }

describe('doctor checks of storage', () => {
  it.each([
    ['storage-signature', { STORAGE_UPLOAD_SECRET_ACCESS_KEY: 'another' }, 'STORAGE_UPLOAD_SECRET_ACCESS_KEY'],
    ['storage-key', { STORAGE_UPLOAD_ACCESS_KEY_ID: 'nobody' }, 'STORAGE_UPLOAD_ACCESS_KEY_ID'],
  ])('%s fails if the upload key of the service is wrong', async (name, settings, hint) => {
    await using wrong = await fixture.startApiHere(settings)
    const given = [...quick, '--operations', wrong.operationsUrl]
    const ran = await doctor(await fixture.newCaller(wrong.baseUrl), given)
    expect(ran.failures).toEqual([name, 'service-upload-key', noWorker])
    expect(hintOf(ran, name)).toContain(hint)
    expect(hintOf(ran, 'service-upload-key')).toContain(hint)
  })

  it.each([
    ['storage-signature', { STORAGE_SECRET_ACCESS_KEY: 'another-secret' }, 'STORAGE_SECRET_ACCESS_KEY'],
    ['storage-key', { STORAGE_ACCESS_KEY_ID: 'nobody' }, 'STORAGE_ACCESS_KEY_ID'],
  ])('%s fails if the main key of the service, which also signs uploads, is wrong', async (name, settings, hint) => {
    await using wrong = await fixture.startApiHere({ ...settings, ...noUploadKey })
    const given = [...quick, '--operations', wrong.operationsUrl]
    const ran = await doctor(await fixture.newCaller(wrong.baseUrl), given)
    expect(ran.failures).toEqual([name, 'service-storage', noWorker])
    expect(hintOf(ran, name)).toContain(hint)
    expect(hintOf(ran, 'service-storage')).toContain(hint)
  })

  it('service-upload-key fails if the upload key can read files, and warns if there is none', async () => {
    const { env, settings } = fixture
    const reading = {
      STORAGE_UPLOAD_ACCESS_KEY_ID: env.STORAGE_ACCESS_KEY_ID,
      STORAGE_UPLOAD_SECRET_ACCESS_KEY: env.STORAGE_SECRET_ACCESS_KEY,
    }
    const failed = await serverDoctorHere({ env, settings: { ...settings, ...reading } })
    expect(failed.failures).toEqual(['service-upload-key', noWorker])
    const { failures, warnings } = await serverDoctorHere({ env, settings: { ...settings, ...noUploadKey } })
    expect(failures).toEqual([noWorker])
    expect(warnings).toContain('service-upload-key')
  })

  it('storage-bucket fails if the bucket does not exist', async () => {
    await using wrong = await fixture.startApiHere({
      STORAGE_UPLOADS_BUCKET: 'reelkeep-doctor-nowhere',
    })
    const given = [...quick, '--operations', wrong.operationsUrl]
    const ran = await doctor(await fixture.newCaller(wrong.baseUrl), given)
    expect(ran.failures).toEqual(['storage-bucket', 'service-uploads-bucket', noWorker])
    expect(hintOf(ran, 'storage-bucket')).toContain('setup-storage')
  })

  it('storage-reachable fails if the public URL of storage is wrong', async () => {
    await using wrong = await fixture.startApiHere({ STORAGE_PUBLIC_ENDPOINT: nowhere })
    const ran = await doctor(await fixture.newCaller(wrong.baseUrl), quick)
    expect(ran.failures).toEqual(['storage-reachable'])
    expect(hintOf(ran, 'storage-reachable')).toContain('STORAGE_PUBLIC_ENDPOINT')
  })
})

describe('doctor checks of storage without POST policies', () => {
  it('storage-forms warns, and the test file is sent in parts', async () => {
    await using proxy = await HttpProxy.open(fixture.env.STORAGE_ENDPOINT)
    const match = ({ method, path }: ProxyRequest) => method === 'POST' && path === `/${fixture.bucket}`
    proxy.rules = [{ match, action: respond(501) }]
    await using formless = await fixture.startApiHere({ STORAGE_PUBLIC_ENDPOINT: proxy.url })
    const ran = await doctor(await fixture.newCaller(formless.baseUrl), quick)
    expect(ran.failures).toEqual([])
    expect(ran.warnings).toEqual(['storage-forms'])
    expect(ran.results.map(({ status }) => status)).not.toContain('skipped')
  })
})

describe('doctor checks of CORS', () => {
  it('api-cors fails if the API does not list the origin', async () => {
    const ran = await doctor(caller, [...quick, '--origin', 'https://other.example'])
    expect(ran.failures).toEqual(['api-cors'])
    expect(hintOf(ran, 'api-cors')).toContain('https://other.example to API_ORIGINS')
  })
})

describe('doctor checks of the uploads bucket', () => {
  const Bucket = fixture.bucket
  const { client } = fixture.objects
  afterEach(() => fixture.setUp(api.operationsUrl))

  /** Runs the CLI doctor and the server doctor; the latter as a command, because the operations port caches results. */
  const bothDoctors = async (...given: readonly string[]) => {
    const [outside, inside] = await Promise.all([doctor(caller, ['--quick', ...given]), serverDoctorHere(fixture)])
    return { outside, inside }
  }

  it('storage-cors fails if the bucket has no CORS rule', async () => {
    await client.send(new DeleteBucketCorsCommand({ Bucket }))
    const { outside, inside } = await bothDoctors('--origin', origin)
    expect(outside.failures).toEqual(['storage-cors'])
    expect(inside.failures).toEqual(['service-upload-origins', noWorker])
    expect(hintOf(outside, 'storage-cors')).toContain('UPLOAD_ORIGINS')
  })

  it('service-upload-key fails if the upload key may not put objects, and leaves no object behind', async () => {
    const versions = async () =>
      (await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'doctor' }))).Versions
    const before = await serverDoctorHere(fixture)
    expect(before.failures).toEqual([noWorker])
    expect(await versions()).toBeUndefined()
    await client.send(new DeleteBucketPolicyCommand({ Bucket }))
    const after = await serverDoctorHere(fixture)
    expect(after.failures).toEqual(['service-upload-key', noWorker])
    expect(hintOf(after, 'service-upload-key')).toContain('setup-storage')
  })

  it('service-versions fails if versioning is disabled', async () => {
    const VersioningConfiguration = { Status: 'Suspended' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { outside, inside } = await bothDoctors('--wait', '10')
    expect(outside.failures).toEqual(['upload-completion'])
    expect(inside.failures).toEqual(['service-versions', noWorker])
    expect(hintOf(inside, 'service-versions')).toContain('setup-storage')
  })

  it('service-abandoned-parts warns if abandoned parts are never deleted', async () => {
    const rule = {
      ID: 'another',
      Status: 'Enabled',
      Filter: { Prefix: 'nothing/' },
      Expiration: { Days: 3000 },
    } as const
    const LifecycleConfiguration = { Rules: [rule] }
    const command = { Bucket, LifecycleConfiguration }
    await client.send(new PutBucketLifecycleConfigurationCommand(command))
    const { failures, warnings } = await serverDoctorHere(fixture)
    expect(failures).toEqual([noWorker])
    expect(warnings).toContain('service-abandoned-parts')
  })
})

describe('doctor checks of notifications', () => {
  it('notification-path fails if there are neither notifications nor a worker', async () => {
    const quiet = { ...fixture.settings, STORAGE_UPLOADS_BUCKET: 'reelkeep-doctor-quiet' }
    await setUpUploads(fixture.env, quiet)
    await using silent = await fixture.startApiHere(quiet)
    const given = ['--quick', '--wait', '2', '--operations', silent.operationsUrl]
    const ran = await doctor(await fixture.newCaller(silent.baseUrl), given)
    expect(ran.failures).toEqual(['notification-path', 'service-notifications', noWorker])
    expect(hintOf(ran, 'notification-path')).toContain('STORAGE_EVENTS_URL')
  })
})

describe('doctor checks of workers', () => {
  it('workers fails if no worker is running', async () => {
    const ran = await doctor(caller, ['--wait', '4', '--operations', api.operationsUrl])
    // On a slow machine, the short wait may end before the notification arrives.
    const failures = ran.failures.filter((name) => name !== 'notification-path')
    expect(failures).toEqual(['workers', noWorker])
    expect(hintOf(ran, 'workers')).toContain('worker.ts')
    const playback = ran.results.find(({ name }) => name === 'playback')
    expect(playback).toMatchObject({
      status: 'skipped',
      detail: 'Not checked, because workers failed.',
    })
  })
})
