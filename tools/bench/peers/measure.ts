/** Sends requests to a service, and measures the CPU time of the service and of Postgres for each of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { cpuSecondsOf, cpuSecondsOfChildren } from '../support/cpu-time.ts'
import type { Peer, PeerRequest } from './operations.ts'

const CONNECTIONS = 16
/** Requests that take longer have few connections, so that a round stays short. */
const SLOW_MS = 100
const CONNECTIONS_WHEN_SLOW = 2
/** Included in the CPU time: a service may finish work in the background after its response. */
const BACKGROUND_MS = 500
const TIMEOUT_MS = 120_000

export type Round = { readonly serverMicroseconds: number; readonly postgresMicroseconds: number }
export const cpuMicroseconds = (round: Round) => round.serverMicroseconds + round.postgresMicroseconds

export type Probe = {
  readonly rows: number | undefined
  readonly measure: (seconds: number) => Promise<Round>
}

type Target = {
  readonly peer: Peer
  readonly postmaster: number
  readonly requestOf: (number: number) => PeerRequest
  readonly isList: boolean
}

/** Sends one request to check the response, and then measures rounds of such requests. */
export async function probe({ peer, postmaster, requestOf, isList }: Target): Promise<Probe & AsyncDisposable> {
  const pool = new Pool(peer.baseUrl, { connections: CONNECTIONS, bodyTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS })
  // Different titles and names in every run.
  let number = Math.floor(Math.random() * 1e9)
  const send = async () => {
    const { method, path, body, contentType } = requestOf(++number)
    const headers = { ...peer.headers, ...(contentType && { 'content-type': contentType }) }
    const response = await pool.request({ method, path, headers, body: body ?? null })
    const bytes = Buffer.from(await response.body.arrayBuffer())
    if (response.statusCode >= 300) throw new Error(`${peer.name}, ${path}: ${response.statusCode} ${bytes}`)
    return bytes
  }
  const first = await send()
  const startMs = performance.now()
  await send()
  const connections = performance.now() - startMs > SLOW_MS ? CONNECTIONS_WHEN_SLOW : CONNECTIONS

  /** A request that was started is always completed, so its CPU time is never counted for others. */
  const sendFor = async (seconds: number) => {
    const endMs = performance.now() + seconds * 1000
    let requests = 0
    const worker = async () => {
      do {
        await send()
        requests++
      } while (performance.now() < endMs)
    }
    await Promise.all(Array.from({ length: connections }, worker))
    return requests
  }
  return {
    rows: isList ? peer.rowsOf(JSON.parse(first.toString())).length : undefined,
    measure: async (seconds) => {
      const before = { server: cpuSecondsOf(peer.pid), postgres: cpuSecondsOfChildren(postmaster) }
      const requests = await sendFor(seconds)
      await sleep(BACKGROUND_MS)
      const perRequest = (spent: number) => (spent * 1e6) / requests
      return {
        serverMicroseconds: perRequest(cpuSecondsOf(peer.pid) - before.server),
        postgresMicroseconds: perRequest(cpuSecondsOfChildren(postmaster) - before.postgres),
      }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
