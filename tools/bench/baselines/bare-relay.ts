/**
 * The baseline for media files: `node:http` passes on what undici reads from storage, and nothing else. No authorization,
 * no limits, no comparison with hashes.
 *
 * node bare-relay.ts ORIGIN PORT HEADERS: the headers of the requests to storage by path, as JSON
 */
import { createServer, type ServerResponse } from 'node:http'
import { Pool } from 'undici'

const [, , origin = '', port = '0', text = '{}'] = process.argv
const headersOf = JSON.parse(text) as Record<string, Record<string, string>>
const storage = new Pool(origin, { connections: 500 })

async function relay(path: string, response: ServerResponse): Promise<void> {
  const { statusCode, headers, body } = await storage.request({ method: 'GET', path, headers: headersOf[path] ?? {} })
  response.writeHead(statusCode, { 'content-length': String(headers['content-length']) })
  body.pipe(response)
}

const server = createServer((request, response) => void relay(request.url ?? '/', response))
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'))
