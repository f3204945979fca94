/** A page has six connections to a host, and whatever waits has to leave some of them to others. */
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
const looks = new Map<string, number>()
const streams: ServerResponse[] = []

/** Whoever looks for the second time listens. None may leave before, or the stream would end and begin again. */
const doAllListen = () => ids.every((id) => (looks.get(id) ?? 0) >= 2)

/** Its videos are done when all of them are listened for, and its stream says so. */
const server = createServer(({ url = '' }, response) => {
  if (url === '/') return say(response, 'text/html', '')
  if (url === '/reelkeep.js')
    return say(response, 'text/javascript', readFileSync(sdk.webFile, 'utf8'))
  if (url.includes('/events/stream/')) {
    streams.push(response)
    return response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: 40\n\n')
  }
  const id = url.split('/').at(-2) ?? ''
  const status = doAllListen() ? 'Completed' : 'Processing'
  looks.set(id, (looks.get(id) ?? 0) + 1)
  if (status === 'Processing' && doAllListen()) tellOfAll()
  const video = { status, playback_url: null, progress: 0, renditions: [], error: null }
  return say(response, 'application/json', JSON.stringify({ id, video }))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function say(response: ServerResponse, type: string, text: string) {
  return response.writeHead(200, { 'content-type': type }).end(text)
}

function tellOfAll() {
  const told = ids.map((id) => ({ type: 'asset.completed', asset_id: id }))
  for (const stream of streams)
    stream.write(told.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}

it('waits for more videos than it has connections', async () => {
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
