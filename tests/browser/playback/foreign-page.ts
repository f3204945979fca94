import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export type ForeignPage = AsyncDisposable & { readonly url: string }

/** Serves an HTML page on its own origin. */
export async function openForeignPage(html: string): Promise<ForeignPage> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Saves an HTML page as a file; its URL starts with `file:`. */
export async function savePage(html: string): Promise<ForeignPage> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'reelkeep-page-'))
  const path = join(folder.path, 'page.html')
  await writeFile(path, html)
  return { url: pathToFileURL(path).href, [Symbol.asyncDispose]: () => folder.remove() }
}
