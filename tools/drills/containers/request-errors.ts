import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

const CLIENTS = 4
/** About forty requests a second in total. */
const PAUSE_MS = 100

type Result = { readonly requests: number; readonly errors: readonly string[] }

/**
 * Reads and creates folders during an action, without retries; returns the number of requests and those that failed.
 * `account` is the environment of the CLI.
 */
export async function measureErrors(account: Record<string, string>, action: () => Promise<void>): Promise<Result> {
  const { REELKEEP_URL, REELKEEP_ORGANIZATION, REELKEEP_TOKEN, NODE_EXTRA_CA_CERTS } = account
  const folders = `${REELKEEP_URL}/api/v1/${REELKEEP_ORGANIZATION}/assets/folders/`
  const dispatcher = new Agent({ connect: { ca: readFileSync(String(NODE_EXTRA_CA_CERTS)) } })
  const authorization = `Bearer ${REELKEEP_TOKEN}`
  const errors: string[] = []
  let requests = 0
  const stopped = new AbortController()

  const send = async (method: 'GET' | 'POST'): Promise<void> => {
    requests += 1
    const title = `Folder ${requests}`
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': `folder-${requests}` }
    const options = method === 'POST' ? { method, headers, body: JSON.stringify({ title }) } : { method, headers }
    const response = await request(folders, { dispatcher, ...options })
    const text = await response.body.text()
    if (response.statusCode >= 400) throw new Error(`${response.statusCode} ${text}`)
  }
  const client = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      for (const method of ['GET', 'POST'] as const) {
        await send(method).catch((error: Error) => errors.push(`${method}: ${error.message}`))
      }
      await sleep(PAUSE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  try {
    await action()
  } finally {
    stopped.abort()
    await Promise.all(clients)
    await dispatcher.close()
  }
  return { requests, errors }
}
