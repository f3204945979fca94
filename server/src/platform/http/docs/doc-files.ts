/** The built documentation site. Its files are listed when the service starts, and read at the first request. */
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type DocFile = {
  readonly plain: Buffer
  /** Undefined if the file is compressed already. */
  readonly gzip: Buffer | undefined
  readonly contentType: string
  readonly etag: string
  /** The name contains a hash of the content. */
  readonly isImmutable: boolean
}

export type DocFiles = {
  /** Finds the file at a path below `/docs/`; for a folder, its `index.html`. */
  readonly find: (path: string) => Promise<DocFile | undefined>
}

const compress = promisify(gzip)

const textTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const binaryTypes: Readonly<Record<string, string>> = { '.png': 'image/png' }

export function openDocFiles(folder: string): DocFiles {
  const listed = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = new Set(listed.map(({ parentPath, name }) => join(parentPath, name)))
  const opened = new Map<string, Promise<DocFile>>()
  return {
    find: async (path) => {
      const wanted = join(folder, path)
      const name = [wanted, join(wanted, 'index.html')].find((candidate) => names.has(candidate))
      if (name === undefined) return undefined
      const file = opened.get(name) ?? read(name)
      opened.set(name, file)
      // A file that could not be read is read again at the next request.
      return file.catch((error: unknown) => {
        opened.delete(name)
        throw error
      })
    },
  }
}

async function read(path: string): Promise<DocFile> {
  const plain = await readFile(path)
  const text = textTypes[extname(path)]
  return {
    plain,
    gzip: text === undefined ? undefined : await compress(plain),
    contentType: text ?? binaryTypes[extname(path)] ?? 'application/octet-stream',
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`,
    isImmutable: path.includes('/_astro/'),
  }
}
