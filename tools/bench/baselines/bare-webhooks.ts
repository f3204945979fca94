/**
 * The baseline for webhook deliveries: plain undici. Posts the bodies in a file as fast as possible, and prints the
 * rate and the CPU time per request. Each line of the file contains a URL and a body.
 *
 * node bare-webhooks.ts FILE IN_FLIGHT
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { inFlight } from '../support/in-flight.ts'

const [, , file = '', atOnce = '1'] = process.argv
const dispatcher = new Agent({ connections: 8 })
const posts = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [string, string])

const began = performance.now()
const before = process.cpuUsage()
await inFlight(posts, Number(atOnce), async ([url, body]) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await request(url, { method: 'POST', body, headers, dispatcher })
  await answer.body.dump()
  if (answer.statusCode !== 204) throw new Error(`${answer.statusCode} from ${url}`)
})
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - began) / 1000
const perSecond = posts.length / seconds
const cpuMicroseconds = (user + system) / posts.length
process.stdout.write(`${JSON.stringify({ perSecond, cpuMicroseconds })}\n`)
await dispatcher.close()
