/** Browsers allow six connections per host, so waiting for many videos must not occupy all of them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it } from 'vitest'
import { packSdk } from '../sdk/packed-sdk.ts'
import { openChromium } from './chromium.ts'

const ids = Array.from({ length: 8 }, (_, index) => `a${index}`)

const sdk = await opened(packSdk())
const reads = new Map<string, number>()
const streams: ServerResponse[] = []

/** Whether the SDK waits for all assets: it reads each asset again once it follows the event stream. */
const areAllFollowed = () => ids.every((id) => (reads.get(id) ?? 0) >= 2)

/** A server that reports all videos as completed as soon as the SDK waits for all of them. */
const server = createServer(({ url = '' }, response) => {
  if (url === '/') return respond(response, 'text/html', '')
  if (url === '/reelkeep.js') return respond(response, 'text/javascript', readFileSync(sdk.webFile, 'utf8'))
  if (url.includes('/events/stream/')) {
    streams.push(response)
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
  }
  const id = url.split('/').at(-2) ?? ''
  const status = areAllFollowed() ? 'Completed' : 'Processing'
  reads.set(id, (reads.get(id) ?? 0) + 1)
  if (status === 'Processing' && areAllFollowed()) sendCompletedEvents()
  const video = { status, playback_url: null, progress: 0, renditions: [], error: null }
  return respond(response, 'application/json', JSON.stringify({ id, video }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function respond(response: ServerResponse, type: string, text: string) {
  return response.writeHead(200, { 'content-type': type }).end(text)
}

function sendCompletedEvents() {
  const events = ids.map((id) => ({ type: 'asset.completed', asset_id: id }))
  for (const stream of streams) stream.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}

it('the SDK can wait for more videos at once than the browser has connections', async () => {
  const browser = await opened(openChromium())
  const page = await browser.newPage()
  await page.goto(url)
  const settings = JSON.stringify({ url, organization: 'acme1234', token: 'secret' })
  const done = await page.evaluate(`import('/reelkeep.js').then(async ({ Reelkeep }) => {
    const { assets } = new Reelkeep(${settings})
    const waits = ${JSON.stringify(ids)}.map((id) => assets.waitUntilCompleted(id, { timeoutSeconds: 20 }))
    return (await Promise.all(waits)).map(({ video }) => video.status)
  })`)
  expect(done).toEqual(ids.map(() => 'Completed'))
  expect(streams).toHaveLength(1)
})
