/** A built site: its files are listed when the service starts, and read at the first request. */
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding } from './accepted-encoding.ts'

export type StaticFile = {
  readonly plain: Buffer
  /** Undefined if the file is compressed already. */
  readonly gzip: Buffer | undefined
  readonly contentType: string
  readonly etag: string
  /** The name contains a hash of the content. */
  readonly isImmutable: boolean
}

export type StaticFiles = {
  /** Finds the file at a path of the site; for a folder, its `index.html`. */
  readonly find: (path: string) => Promise<StaticFile | undefined>
}

const compress = promisify(gzip)

const textTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const binaryTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** `hashedFolder` contains the files whose names contain a hash of their content. */
export function openStaticFiles(folder: string, hashedFolder: string): StaticFiles {
  const listed = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = new Set(listed.map(({ parentPath, name }) => join(parentPath, name)))
  const opened = new Map<string, Promise<StaticFile>>()
  return {
    find: async (path) => {
      const wanted = join(folder, path)
      const name = [wanted, join(wanted, 'index.html')].find((candidate) => names.has(candidate))
      if (name === undefined) return undefined
      const file = opened.get(name) ?? read(name, name.startsWith(join(folder, hashedFolder, '/')))
      opened.set(name, file)
      // A file that could not be read is read again at the next request.
      return file.catch((error: unknown) => {
        opened.delete(name)
        throw error
      })
    },
  }
}

async function read(path: string, isImmutable: boolean): Promise<StaticFile> {
  const plain = await readFile(path)
  const text = textTypes[extname(path)]
  return {
    plain,
    gzip: text === undefined ? undefined : await compress(plain),
    contentType: text ?? binaryTypes[extname(path)] ?? 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`,
    isImmutable,
  }
}

const CACHE_FOREVER = 'public, max-age=31536000, immutable'
/** Browsers revalidate the file on every request, so that a page never uses files of another version. */
const REVALIDATE = 'no-cache'

/** Sends a file with the content security policy of its site. */
export function sendStaticFile(file: StaticFile, policy: string, request: FastifyRequest, reply: FastifyReply) {
  reply
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', file.isImmutable ? CACHE_FOREVER : REVALIDATE)
    .header('Vary', [reply.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', '))
    .header('ETag', file.etag)
  if (reply.statusCode === 200 && request.headers['if-none-match'] === file.etag) return reply.status(304).send()
  reply.header('Content-Type', file.contentType)
  if (file.gzip && acceptsEncoding(request, 'gzip')) {
    return reply.header('Content-Encoding', 'gzip').send(file.gzip)
  }
  return reply.send(file.plain)
}
