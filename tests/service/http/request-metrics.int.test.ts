/** Tests the metrics of event streams and of requests whose clients disconnect. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { ApiProcess, newOrganization, openOwner } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const api = await opened(ApiProcess.start())
const owner = await opened(Promise.resolve(openOwner()))
const { organizationId, token } = await newOrganization(owner)
const path = `/api/v1/${organizationId}`

/** The value of a series; undefined if it does not exist. */
async function series(start: string): Promise<number | undefined> {
  const text = await (await fetch(`${api.operationsUrl}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${start} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
const inFlight = () => series('reelkeep_http_requests_in_flight')
const duration = (of: string) => series(`reelkeep_http_request_duration_seconds_${of}{operation="streamEvents"}`)
const counted = () => series('reelkeep_http_requests_total{operation="streamEvents",status="200"}')

describe('the metrics of an event stream', () => {
  it('contain its start and the time until the start, and do not count it as in flight', async () => {
    const hangUp = new AbortController()
    const stream = await fetch(`${api.baseUrl}${path}/events/stream/`, {
      headers: { authorization: `Token ${token}` },
      signal: hangUp.signal,
    })
    expect(stream.status).toBe(200)
    const begun = performance.now()
    expect(await counted()).toBe(1)
    expect(await inFlight()).toBe(0)
    // The stream must live longer than it took to start, so that the two durations differ.
    const tookSeconds = (await duration('sum')) ?? Number.NaN
    await expect.poll(() => (performance.now() - begun) / 1000).toBeGreaterThan(tookSeconds + 0.5)
    hangUp.abort()
    await expect.poll(() => series('reelkeep_event_streams')).toBe(0)
    expect(await duration('sum')).toBe(tookSeconds)
    expect(await duration('count')).toBe(1)
    expect(await counted()).toBe(1)
    expect(await inFlight()).toBe(0)
  })
})

describe('the metrics of a request', () => {
  it('count it as in flight until its client disconnects', async () => {
    const { hostname, port } = new URL(api.baseUrl)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const head = [
      `POST ${path}/assets/folders/ HTTP/1.1`,
      'Host: reelkeep',
      `Authorization: Token ${token}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n{"title": "half of`)
    await expect.poll(inFlight).toBe(1)
    socket.destroy()
    await expect.poll(inFlight).toBe(0)
  })
})
