/** Runs the doctor on a working service, and with failures that only a service with a worker can have. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Caller, WorkerProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { DoctorFixture, doctor, hintOf, nowhere, origin, serverDoctorHere, startDoctor } from './doctor-fixture.ts'

const fixture = await opened(DoctorFixture.open('well'))
/** The sweep runs late, so early detection must come from a notification. */
const api = await opened(fixture.startApi({ UPLOAD_FIRST_CHECK_SECONDS: '60' }))
const worker = await opened(
  WorkerProcess.start({
    env: fixture.env,
    settings: { ...fixture.settings, UPLOAD_SWEEP_SECONDS: '1' },
  }),
)
await fixture.notify(api)

const operations = ['--operations', api.operationsUrl, '--operations', worker.operationsUrl]

/** Number of assets of the organization. */
async function assetsOf({ organizationId, token }: { organizationId: string; token: string }) {
  const { body } = await new Caller(api.send, organizationId, token).get<{ count: number }>('assets/')
  return body.count
}

describe('doctor on a working service', () => {
  it('reports no failures of the service or of its operations ports', async () => {
    const caller = await fixture.newCaller(api.baseUrl)
    const { code, results, failures, warnings } = await doctor(caller, ['--origin', origin, ...operations])
    expect(failures).toEqual([])
    // The check service-player warns if the player is not built, which these tests do not need.
    expect(warnings.filter((name) => name !== 'service-player')).toEqual([])
    expect(results.filter(({ status }) => status === 'skipped')).toEqual([])
    expect(code).toBe(0)
    expect(results.map(({ name }) => name)).toEqual(expect.arrayContaining(expected))
    const path = results.find(({ name }) => name === 'notification-path')
    expect(path?.detail).toContain('Storage notified the service')
    expect(JSON.stringify(results)).not.toContain(fixture.settings['STORAGE_EVENTS_SECRET'])
    expect(await assetsOf(caller)).toBe(0)
  })

  const expected = [
    ...['api-reachable', 'api-is-reelkeep', 'clock', 'token', 'token-scopes'],
    ...['api-cors', 'upload-session', 'storage-reachable', 'storage-clock', 'storage-signature'],
    ...['storage-parts', 'storage-cors', 'notification-path', 'processing', 'playback'],
    ...['service-migrations', 'service-versions', 'service-notifications', 'service-queues'],
    ...['worker-sandbox', 'worker-ffmpeg', 'worker-packager', 'worker-transcriber'],
  ]

  it('prints the running checks, their results and a summary', async () => {
    const running = startDoctor(await fixture.newCaller(api.baseUrl), '--quick')
    const { stdout: output, stderr: notes } = await running.ended()
    expect(notes).toContain('… upload of a signed part\n')
    expect(output).toContain('✓ storage-parts  Storage accepted a signed part.\n')
    expect(output).toContain('11 ok, 0 warnings, 0 failed.')
    expect(output).not.toContain('processing')
  })
})

describe('doctor after Ctrl-C', () => {
  it('exits with 130 and deletes the test asset', async () => {
    const caller = await fixture.newCaller(api.baseUrl)
    const running = startDoctor(caller)
    await expect.poll(running.stderr).toContain('processing of a small video')
    const { code } = await running.interrupted()
    expect(code).toBe(130)
    expect(await assetsOf(caller)).toBe(0)
  })
})

describe('doctor checks of the playback URL', () => {
  it('playback fails if the playback URL is wrong', async () => {
    await using astray = await fixture.startApiHere({ PLAYBACK_URL: `${nowhere}/play` })
    const ran = await doctor(await fixture.newCaller(astray.baseUrl))
    expect(ran.code).toBe(7)
    expect(ran.failures).toEqual(['playback'])
    expect(hintOf(ran, 'playback')).toContain('PLAYBACK_URL')
  })
})

describe('doctor checks of notifications', () => {
  it('service-notifications fails if storage notifies another server', async () => {
    await using otherReceiver = await OtherReceiver.open()
    await using astray = await fixture.startApiHere({ UPLOAD_FIRST_CHECK_SECONDS: '1' })
    await fixture.setUp(otherReceiver.url)
    const given = ['--quick', '--operations', astray.operationsUrl]
    const ran = await doctor(await fixture.newCaller(astray.baseUrl), given)
    expect(ran.failures).toEqual(['service-notifications'])
    expect(hintOf(ran, 'service-notifications')).toContain('STORAGE_EVENTS_URL')
    expect(ran.warnings).toContain('notification-path')
    expect(hintOf(ran, 'notification-path')).toContain('setup-storage')
  })

  it('service-notifications fails if the notification URL does not respond', async () => {
    // Nothing is uploaded here, because storage would retry the notification forever.
    await fixture.setUp(nowhere)
    const ran = await serverDoctorHere(fixture)
    await fixture.setUp(api.operationsUrl)
    expect(ran.failures).toEqual(['service-notifications'])
    const result = ran.results.find(({ name }) => name === 'service-notifications')
    expect(result?.detail).toContain('which does not respond from here')
  })
})

/** A server that accepts and ignores every request. */
class OtherReceiver implements AsyncDisposable {
  readonly url: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(): Promise<OtherReceiver> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(200).end())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new OtherReceiver(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
