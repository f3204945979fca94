import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { queryOperations } from './operations.ts'

/** An operations port that requires the token `secret`. */
async function startPort(): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.headers.authorization === 'Bearer secret' ? 200 : 401
    response.end('{"results":[]}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('queryOperations sends the token of the operations port, and says which variable to set without it', async () => {
  const url = await startPort()
  const query = (token?: string) =>
    queryOperations({ given: [url], token }, 'https://video.example', new AbortController().signal)
  expect(await query('secret')).toEqual([{ url, results: [] }])
  for (const token of [undefined, '', 'wrong']) {
    const [report] = await query(token)
    expect(report?.results).toMatchObject([
      { name: 'operations-reachable', hint: expect.stringContaining('REELKEEP_OPERATIONS_TOKEN') },
    ])
  }
})
