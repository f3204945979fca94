/**
 * `node examples/serve.ts --port 8090 --api-url http://127.0.0.1:8080`: serves the example pages on their own
 * origin. For development only.
 */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { parseArgs } from 'node:util'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}

const CONNECTIONS_MAX = 100

export type ExamplesServer = AsyncDisposable & { readonly origin: string }

/** Starts the server. Port 0 selects a free port. */
export async function serveExamples(options: {
  readonly port: number
  readonly apiUrl: string
}): Promise<ExamplesServer> {
  const files = knownFiles()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (request.method !== 'GET' && request.method !== 'HEAD') return respond(response, 405)
    if (pathname === '/') return response.writeHead(302, { Location: '/upload.html' }).end()
    const settings = JSON.stringify({ api_url: options.apiUrl })
    if (pathname === '/settings.json') return respond(response, 200, pathname, settings)
    const file = files.get(pathname)
    if (!file) return respond(response, 404)
    // Files are not cached, so that changes are visible after a reload.
    readFile(file).then(
      (content) => respond(response, 200, pathname, content),
      () => respond(response, 500),
    )
  })
  server.maxConnections = CONNECTIONS_MAX
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Maps URL paths to files. Only files that exist at startup are served. */
function knownFiles(): ReadonlyMap<string, URL> {
  const modules = ['shared', 'upload', 'asset'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, import.meta.url)).map((name) => `${folder}/${name}`),
  )
  const own = ['upload.html', 'asset.html', ...modules].map(
    (path) => [`/${path}`, new URL(path, import.meta.url)] as const,
  )
  return new Map([...own, ['/vendor/hls.js', playerLibrary()]])
}

/** URL of hls.js, which is served from this origin. */
const playerLibrary = () => new URL(import.meta.resolve('hls.js/dist/hls.min.mjs'))

function respond(response: ServerResponse, status: number, path = '', body: string | Buffer = ''): void {
  response.writeHead(status, {
    'Content-Type': types[extname(path)] ?? 'text/plain; charset=utf-8',
    'Content-Security-Policy': "frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  })
  response.end(body)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8090' },
      'api-url': { type: 'string', default: 'http://127.0.0.1:8080' },
    },
  })
  try {
    const { origin } = await serveExamples({ port: Number(values.port), apiUrl: values['api-url'] })
    process.stderr.write(`Example pages: ${origin}/upload.html\n`)
  } catch (error) {
    process.stderr.write(`Failed to serve the example pages: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
