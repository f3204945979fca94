/** A service that is well has no fault; then what needs a worker is spoilt, one thing at a time. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Caller, WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import {
  cureOf,
  DoctorStage,
  doctor,
  nowhere,
  origin,
  serverDoctorHere,
  startDoctor,
} from './doctor-stage.ts'

const stage = await opened(DoctorStage.open('well'))
/** The sweep comes late: what is noticed early, storage has told. */
const api = await opened(stage.startApi({ UPLOAD_FIRST_LOOK_SECONDS: '60' }))
const worker = await opened(
  WorkerProcess.start({
    env: stage.env,
    settings: { ...stage.settings, UPLOAD_SWEEP_SECONDS: '1' },
  }),
)
await stage.notify(api)

const operations = ['--operations', api.operationsUrl, '--operations', worker.operationsUrl]

/** How many assets the caller has. */
async function assetsOf({ organizationId, token }: { organizationId: string; token: string }) {
  const { body } = await new Caller(api.send, organizationId, token).get<{ count: number }>(
    'assets/',
  )
  return body.count
}

describe('a service that is well', () => {
  it('has no fault, from the caller to the first segment and on the operations ports', async () => {
    const caller = await stage.newCaller(api.baseUrl)
    const { code, findings, faults, warnings } = await doctor(caller, [
      '--origin',
      origin,
      ...operations,
    ])
    expect(faults).toEqual([])
    // The player need not be built for tests.
    expect(warnings.filter((name) => name !== 'service-player')).toEqual([])
    expect(findings.filter(({ state }) => state === 'skipped')).toEqual([])
    expect(code).toBe(0)
    expect(findings.map(({ name }) => name)).toEqual(expect.arrayContaining(expected))
    const path = findings.find(({ name }) => name === 'notification-path')
    expect(path?.detail).toContain('Storage told the service')
    expect(JSON.stringify(findings)).not.toContain(stage.settings['STORAGE_EVENTS_SECRET'])
    expect(await assetsOf(caller)).toBe(0)
  })

  const expected = [
    ...['api-reachable', 'api-is-reelkeep', 'api-ready', 'clock', 'token', 'token-scopes'],
    ...['api-cors', 'upload-session', 'storage-reachable', 'storage-clock', 'storage-signature'],
    ...['storage-parts', 'storage-cors', 'notification-path', 'processing', 'playback'],
    ...['service-migrations', 'service-versions', 'service-notifications', 'service-queues'],
    ...['worker-sandbox', 'worker-ffmpeg', 'worker-packager', 'worker-recogniser'],
  ]

  it('tells people what it looks at, what it finds and how much that is', async () => {
    const running = startDoctor(await stage.newCaller(api.baseUrl), '--quick')
    const { stdout: output, stderr: notes } = await running.ended()
    expect(notes).toContain('… whether storage takes a signed part\n')
    expect(output).toContain('✓ storage-parts  Storage has taken a signed part.\n')
    expect(output).toContain('12 fine, 0 warnings, 0 faults.')
    expect(output).not.toContain('processing')
  })
})

describe('Ctrl-C', () => {
  it('130: what was made is deleted again', async () => {
    const caller = await stage.newCaller(api.baseUrl)
    const running = startDoctor(caller)
    await expect.poll(running.stderr, { timeout: 60_000 }).toContain('a small video is made')
    const { code } = await running.interrupted()
    expect(code).toBe(130)
    expect(await assetsOf(caller)).toBe(0)
  })
})

describe('the address of playback', () => {
  it('playback: leads nowhere', async () => {
    await using astray = await stage.startApiHere({ PLAYBACK_URL: `${nowhere}/play` })
    const ran = await doctor(await stage.newCaller(astray.baseUrl))
    expect(ran.code).toBe(7)
    expect(ran.faults).toEqual(['playback'])
    expect(cureOf(ran, 'playback')).toContain('PLAYBACK_URL')
  })
})

describe('notifications', () => {
  it('service-notifications: they go to somebody else, so files are found late', async () => {
    await using stranger = await Stranger.open()
    await using astray = await stage.startApiHere({ UPLOAD_FIRST_LOOK_SECONDS: '1' })
    await stage.setUp(stranger.url)
    const given = ['--quick', '--operations', astray.operationsUrl]
    const ran = await doctor(await stage.newCaller(astray.baseUrl), given)
    expect(ran.faults).toEqual(['service-notifications'])
    expect(cureOf(ran, 'service-notifications')).toContain('STORAGE_EVENTS_URL')
    expect(ran.warnings).toContain('notification-path')
    expect(cureOf(ran, 'notification-path')).toContain('setup-storage')
  })

  it('service-notifications: they go where nobody listens', async () => {
    // Nothing is uploaded: storage would never stop to offer it.
    await stage.setUp(nowhere)
    const ran = await serverDoctorHere(stage)
    await stage.setUp(api.operationsUrl)
    expect(ran.faults).toEqual(['service-notifications'])
    const finding = ran.findings.find(({ name }) => name === 'service-notifications')
    expect(finding?.detail).toContain('nobody answers there')
  })
})

/** Takes whatever is sent, and does nothing with it. */
class Stranger implements AsyncDisposable {
  readonly url: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(): Promise<Stranger> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200).end())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Stranger(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
