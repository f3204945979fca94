/** The built player: a few files, read once when the service starts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type PlayerFile = {
  readonly plain: Buffer
  readonly brotli: Buffer | undefined
  readonly gzip: Buffer | undefined
  /** The name contains a hash of the content. */
  readonly isImmutable: boolean
}

export type PlayerFiles = {
  readonly files: ReadonlyMap<string, PlayerFile>
  /** Script of the embed page. Undefined if the player is not built. */
  readonly pageScript: string | undefined
}

const fileForm = /^[\w.-]{1,100}\.js$/
const hashedForm = /-[\w-]{8}\.js$/
const pageScriptForm = /^embed-[\w-]{8}\.js$/

export function readPlayerFiles(folder: string): PlayerFiles {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => fileForm.test(name)) : []
  const files = new Map(names.map((name) => [name, readFile(join(folder, name), name)]))
  return { files, pageScript: names.find((name) => pageScriptForm.test(name)) }
}

const readFile = (path: string, name: string): PlayerFile => ({
  plain: readFileSync(path),
  brotli: existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : undefined,
  gzip: existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : undefined,
  isImmutable: hashedForm.test(name),
})
