/**
 * What can be wrong without a worker, planted for real, one thing at a time: it is found by its
 * name, and nothing else is blamed.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import {
  DeleteBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3'
import { Caller, root, StorageRelay, Superuser, setUpUploads } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  cureOf,
  DoctorStage,
  doctor,
  doctorAtTerminal,
  doctorByProcess,
  nowhere,
  origin,
  serverDoctor,
  serverDoctorHere,
  startDoctor,
  startServerDoctor,
} from './doctor-stage.ts'

const run = promisify(execFile)
const stage = await opened(DoctorStage.open('ill'))
const api = await opened(stage.startApi())
const caller = await stage.newCaller(api.baseUrl)
await stage.notify(api)

/** Nobody works here, so a file is noticed by a notification or not at all. */
const quick = ['--quick', '--wait', '60']
/** Without a worker there is always one fault inside. */
const noWorker = 'service-workers'

describe('the API', () => {
  it('api-reachable, operations-reachable: it is away', async () => {
    const ran = await doctorByProcess({ ...caller, url: nowhere }, ['--operations', nowhere])
    expect(ran.code).toBe(7)
    expect(ran.faults).toEqual(['api-reachable', 'operations-reachable'])
    expect(cureOf(ran, 'api-reachable')).toContain('REELKEEP_URL')
    const others = ran.findings.filter(({ name }) => !ran.faults.includes(name))
    for (const { state, detail } of others) {
      expect({ state, detail }).toEqual({
        state: 'skipped',
        detail: 'Not looked at, because of api-reachable.',
      })
    }
  })

  it('api-is-reelkeep: the address is that of something else', async () => {
    const ran = await doctor({ ...caller, url: stage.env.STORAGE_ENDPOINT })
    expect(ran.faults).toEqual(['api-is-reelkeep'])
    expect(cureOf(ran, 'api-is-reelkeep')).toContain('proxy')
  })

  it('api-ready: its database lacks a migration', async () => {
    await using superuser = await Superuser.open(stage.env)
    // What it found out a moment ago it goes on telling for a second.
    const ready = async () => (await fetch(`${api.operationsUrl}/readyz`)).status
    const version = '(select max(version) from schema_migrations)'
    await superuser.query(
      `update schema_migrations set version = 'x' || version where version = ${version}`,
    )
    await expect.poll(ready).toBe(503)
    const [outside, inside] = await Promise.all([doctor(caller), serverDoctor('api', stage)])
    await superuser.query(
      "update schema_migrations set version = substr(version, 2) where version like 'x%'",
    )
    await expect.poll(ready).toBe(200)
    expect(outside.faults).toEqual(['api-ready'])
    expect(inside.faults).toEqual(['service-migrations'])
    expect(cureOf(inside, 'service-migrations')).toContain('server/migrate')
  })
})

describe('a person at a terminal', () => {
  it('sees what was found in place of what was looked at', async () => {
    const away = { ...caller, url: nowhere }
    const { code, stdout } = await doctorAtTerminal(away).ended()
    expect(code).toBe(7)
    const [seen, ...notErased] = stdout.split('… ').slice(1)
    expect(notErased).toEqual([])
    expect(stripVTControlCharacters(seen ?? '')).toMatch(/^whether the API answers\r\n✗ api-reach/)
    expect(seen).toContain('\u001b[1A\u001b[2K')
    expect(stdout).toContain('The faults once more:')
  })

  it.each(['https://studio.example/', 'null'])('2: %s is no origin', async (wrong) => {
    const { code, stderr } = await startDoctor(caller, '--origin', wrong).ended()
    expect(code).toBe(2)
    expect(stderr).toContain(`and not “${wrong}”`)
  })
})

describe('an operator', () => {
  it('2: asks for what is not there', async () => {
    const { code, stdout, stderr } = await startServerDoctor(['wroker'], stage).ended()
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('There is no “wroker” to be examined.')
    expect(stderr).toContain('reelkeep doctor [api|worker]')
  })

  it.each([
    ['DATABASE_WORKER_URL', 'service-database', 'worker'],
    ['DATABASE_URL', 'worker-database', 'api'],
  ])('1: is told what the settings suffice for where %s is missing', async (name, found, lacks) => {
    const settings = { ...stage.settings, [name]: '' }
    const { code, stdout, stderr } = await startServerDoctor([], { ...stage, settings }).ended()
    expect(stdout).toContain(`ok       ${found}: `)
    expect(stderr).toContain(`${lacks} was not examined. These settings need mending:\n  ${name}: `)
    expect(code).toBe(1)
  })
})

describe('the token', () => {
  it('token: it was revoked', async () => {
    const doomed = await stage.newCaller(api.baseUrl)
    const itself = new Caller(api.send, doomed.organizationId, doomed.token)
    const { body } = await itself.get<{ id: string }>('tokens/current/')
    await itself.delete(`tokens/${body.id}/`)
    const ran = await doctor(doomed)
    expect(ran.faults).toEqual(['token'])
    expect(cureOf(ran, 'token')).toContain('reelkeep login')
  })

  it('organization: it is another one’s', async () => {
    const { organizationId } = await stage.newCaller(api.baseUrl)
    const ran = await doctor({ ...caller, organizationId })
    expect(ran.faults).toEqual(['organization'])
    expect(cureOf(ran, 'organization')).toContain('REELKEEP_ORGANIZATION')
  })

  it('token-scopes: it may only read', async () => {
    const ran = await doctor(await stage.newCaller(api.baseUrl, 'assets:read'))
    expect(ran.faults).toEqual(['token-scopes'])
    const finding = ran.findings.find(({ name }) => name === 'token-scopes')
    expect(finding?.detail).toContain('lacks assets:write,')
  })
})

describe('clocks', () => {
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

  it('clock: this machine’s is ahead', async () => {
    const ran = await doctorByProcess(caller, quick, tenMinutesAhead())
    expect({ faults: ran.faults, warnings: ran.warnings }).toEqual({
      faults: ['clock'],
      warnings: [],
    })
    expect(cureOf(ran, 'clock')).toContain('NTP')
  })

  it('api-clock: the API’s is ahead, and neither this machine nor storage is blamed', async () => {
    await using ahead = await stage.startApi(tenMinutesAhead())
    const ran = await doctor(await stage.newCaller(ahead.baseUrl), quick)
    expect({ faults: ran.faults, warnings: ran.warnings }).toEqual({
      faults: ['api-clock'],
      warnings: [],
    })
  })
})

describe('storage', () => {
  it.each([
    [
      'storage-signature',
      { STORAGE_SECRET_ACCESS_KEY: 'another-secret' },
      'STORAGE_SECRET_ACCESS_KEY',
    ],
    ['storage-key', { STORAGE_ACCESS_KEY_ID: 'nobody' }, 'STORAGE_ACCESS_KEY_ID'],
  ])('%s: the service has the wrong one', async (name, settings, cure) => {
    await using wrong = await stage.startApiHere(settings)
    const given = [...quick, '--operations', wrong.operationsUrl]
    const ran = await doctor(await stage.newCaller(wrong.baseUrl), given)
    expect(ran.faults).toEqual([name, 'service-storage', noWorker])
    expect(cureOf(ran, name)).toContain(cure)
    expect(cureOf(ran, 'service-storage')).toContain(cure)
  })

  it('storage-bucket: there is none', async () => {
    await using wrong = await stage.startApiHere({
      STORAGE_UPLOADS_BUCKET: 'reelkeep-doctor-nowhere',
    })
    const given = [...quick, '--operations', wrong.operationsUrl]
    const ran = await doctor(await stage.newCaller(wrong.baseUrl), given)
    expect(ran.faults).toEqual(['storage-bucket', 'service-uploads-bucket', noWorker])
    expect(cureOf(ran, 'storage-bucket')).toContain('setup-storage')
  })

  it('storage-reachable: callers are given an address where nobody is', async () => {
    await using wrong = await stage.startApiHere({ STORAGE_PUBLIC_ENDPOINT: nowhere })
    const ran = await doctor(await stage.newCaller(wrong.baseUrl), quick)
    expect(ran.faults).toEqual(['storage-reachable'])
    expect(cureOf(ran, 'storage-reachable')).toContain('STORAGE_PUBLIC_ENDPOINT')
  })
})

describe('a storage without POST policies', () => {
  it('storage-forms: is a warning, and the file goes in parts', async () => {
    await using relay = await StorageRelay.open(stage.env.STORAGE_ENDPOINT)
    relay.fateOf = ({ method, path }) =>
      method === 'POST' && path === `/${stage.bucket}` ? 501 : 'pass'
    await using formless = await stage.startApiHere({ STORAGE_PUBLIC_ENDPOINT: relay.url })
    const ran = await doctor(await stage.newCaller(formless.baseUrl), quick)
    expect(ran.faults).toEqual([])
    expect(ran.warnings).toEqual(['storage-forms'])
    expect(ran.findings.map(({ state }) => state)).not.toContain('skipped')
  })
})

describe('pages of an origin', () => {
  it('api-cors: the API does not list it', async () => {
    const ran = await doctor(caller, [...quick, '--origin', 'https://other.example'])
    expect(ran.faults).toEqual(['api-cors'])
    expect(cureOf(ran, 'api-cors')).toContain('https://other.example to API_ORIGINS')
  })
})

describe('the settings of the uploads bucket', () => {
  const Bucket = stage.bucket
  const { client } = stage.objects
  afterEach(() => stage.setUp(api.operationsUrl))

  /**
   * From outside and from inside: by the operator's command, for the operations port tells what it
   * found a moment ago.
   */
  const bothDoctors = async (...given: readonly string[]) => {
    const [outside, inside] = await Promise.all([
      doctor(caller, ['--quick', ...given]),
      serverDoctorHere(stage),
    ])
    return { outside, inside }
  }

  it('storage-cors: it has no rule for browsers', async () => {
    await client.send(new DeleteBucketCorsCommand({ Bucket }))
    const { outside, inside } = await bothDoctors('--origin', origin)
    expect(outside.faults).toEqual(['storage-cors'])
    expect(inside.faults).toEqual(['service-upload-origins', noWorker])
    expect(cureOf(outside, 'storage-cors')).toContain('UPLOAD_ORIGINS')
  })

  it('service-versions: it does not keep versions', async () => {
    const VersioningConfiguration = { Status: 'Suspended' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    const { outside, inside } = await bothDoctors('--wait', '2')
    expect(outside.faults).toEqual(['upload-completion'])
    expect(inside.faults).toEqual(['service-versions', noWorker])
    expect(cureOf(inside, 'service-versions')).toContain('setup-storage')
  })

  it('service-abandoned-parts: it keeps them for ever, which is a warning', async () => {
    const rule = {
      ID: 'another',
      Status: 'Enabled',
      Filter: { Prefix: 'nothing/' },
      Expiration: { Days: 3000 },
    } as const
    const LifecycleConfiguration = { Rules: [rule] }
    const command = { Bucket, LifecycleConfiguration }
    await client.send(new PutBucketLifecycleConfigurationCommand(command))
    const { faults, warnings } = await serverDoctorHere(stage)
    expect(faults).toEqual([noWorker])
    expect(warnings).toContain('service-abandoned-parts')
  })
})

describe('notifications', () => {
  it('notification-path: nobody is told, and nobody looks', async () => {
    const quiet = { ...stage.settings, STORAGE_UPLOADS_BUCKET: 'reelkeep-doctor-quiet' }
    await setUpUploads(stage.env, quiet)
    await using untold = await stage.startApiHere(quiet)
    const given = ['--quick', '--wait', '2', '--operations', untold.operationsUrl]
    const ran = await doctor(await stage.newCaller(untold.baseUrl), given)
    expect(ran.faults).toEqual(['notification-path', 'service-notifications', noWorker])
    expect(cureOf(ran, 'notification-path')).toContain('STORAGE_EVENTS_URL')
  })
})

describe('workers', () => {
  it('workers: there is none', async () => {
    const ran = await doctor(caller, ['--wait', '4', '--operations', api.operationsUrl])
    // So short a wait may end before a slow machine's notification: that is another test's business.
    const faults = ran.faults.filter((name) => name !== 'notification-path')
    expect(faults).toEqual(['workers', noWorker])
    expect(cureOf(ran, 'workers')).toContain('worker.ts')
    const playback = ran.findings.find(({ name }) => name === 'playback')
    expect(playback).toMatchObject({
      state: 'skipped',
      detail: 'Not looked at, because of workers.',
    })
  })
})
