/** The format of the cells file: JSON maintained by the operator. Defaults and values from files are filled in here. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isOrganizationId } from '../kernel/ids.ts'
import { namesOf } from '../maintenance/shared-buckets.rules.ts'
import { httpUrl, postgresUrl } from '../platform/config/fields.ts'
import type { Directory } from './directory.rules.ts'

/** Maximum number of API instances of a cell; one database cannot serve more. */
const API_INSTANCES_MAX = 100
/**
 * Maximum number of listed organizations: nginx loads a map of this size within a second. Organizations that are not
 * listed belong to the default cell.
 */
const ORGANIZATIONS_MAX = 200_000
const CELLS_MAX = 1000
const PROXIES_MAX = 100

const cellName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a name of a-z, 0-9 and -')

const apiAddress = z.string().regex(/^http:\/\/[a-z0-9.:[\]-]+:\d{1,5}$/i, 'must be a URL such as http://10.0.0.1:8080')

const path = z.string().min(1)
const secret = { accessKeyId: path.optional(), accessKeyIdFile: path.optional() }
const secretKey = { secretAccessKey: path.optional(), secretAccessKeyFile: path.optional() }

const storage = z.strictObject({
  endpoint: httpUrl,
  publicEndpoint: httpUrl.optional(),
  region: z.string().min(1).default('us-east-1'),
  uploadsBucket: z.string().min(3).default('reelkeep-uploads'),
  mediaBucket: z.string().min(3).default('reelkeep-media'),
  /** `forms` and `versions` must match the cell's settings STORAGE_FORMS and STORAGE_VERSIONS. */
  forms: z.boolean().default(true),
  versions: z.boolean().default(true),
  ...secret,
  ...secretKey,
})

const cell = z.strictObject({
  api: z.array(apiAddress).min(1).max(API_INSTANCES_MAX),
  database: postgresUrl.optional(),
  databaseFile: path.optional(),
  databaseForCells: postgresUrl.optional(),
  databaseForCellsFile: path.optional(),
  keyEncryptionKeys: z.array(z.string().min(1)).min(1).max(100),
  storage,
})

const router = z.strictObject({
  file: path.optional(),
  reload: z.array(path).min(1).max(100).optional(),
  url: httpUrl.optional(),
  listen: z
    .string()
    .regex(/^[\w.:[\] -]+$/, "must be a value for nginx's listen directive, such as 8080 or 443 ssl")
    .default('8080'),
  trustedProxies: z
    .array(z.string().regex(/^[0-9a-f.:]+(\/\d{1,3})?$/i, 'must be a network such as 10.1.0.0/16'))
    .max(PROXIES_MAX)
    .default([]),
  placements: z
    .string()
    .regex(/^\/[\w./-]+$/, 'must be a folder')
    .optional(),
  logs: z
    .string()
    .regex(/^\/[\w./-]+$/, 'must be a folder')
    .default('/var/log/nginx'),
})

const entry = z.strictObject({
  from: cellName,
  to: cellName,
  stage: z.enum(['copying', 'arrived']),
})

export const fileSchema = z
  .strictObject({
    version: z.int().min(0).default(0),
    cells: z.record(cellName, cell),
    newOrganizations: cellName,
    organizations: z.record(z.string(), cellName).default({}),
    /** Migrations in progress by organization id, maintained by the command `move-organization`. */
    moves: z.record(z.string(), entry).default({}),
    router: router.prefault({}),
  })
  .superRefine(({ cells, newOrganizations, organizations }, context) => {
    const addIssue = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (Object.keys(cells).length > CELLS_MAX) addIssue(['cells'], `has more than ${CELLS_MAX}`)
    if (Object.keys(organizations).length > ORGANIZATIONS_MAX)
      addIssue(['organizations'], `has more than ${ORGANIZATIONS_MAX}`)
    if (!Object.hasOwn(cells, newOrganizations))
      addIssue(['newOrganizations'], `is ${newOrganizations}, which is not one of the cells`)
    for (const [id, name] of Object.entries(organizations)) {
      if (!isOrganizationId(id)) addIssue(['organizations', id], 'is not an organization id')
      if (!Object.hasOwn(cells, name)) addIssue(['organizations', id], `is ${name}, which is not one of the cells`)
    }
    for (const { name, bucket, others } of sharedBuckets(cells))
      addIssue(['cells', name, 'storage', bucket], `is also ${others}; each bucket must belong to one cell`)
  })

type FileCells = Readonly<Record<string, { readonly storage: z.infer<typeof storage> }>>

/**
 * Finds buckets that several cells share: deleting an organization's leftovers in one cell would delete its objects in
 * the other.
 */
function sharedBuckets(cells: FileCells) {
  const seen = new Map<string, string>()
  const shared: { name: string; bucket: string; others: string }[] = []
  for (const [name, { storage }] of Object.entries(cells)) {
    for (const bucket of ['uploadsBucket', 'mediaBucket'] as const) {
      const { endpoint, publicEndpoint = endpoint } = storage
      const names = namesOf({ endpoint, publicEndpoint }, storage[bucket])
      const others = names.map((one) => seen.get(one)).find((found) => found !== undefined)
      if (others !== undefined) shared.push({ name, bucket, others })
      for (const one of names) seen.set(one, others ?? `${bucket} of cell ${name}`)
    }
  }
  return shared
}

export type DirectoryFile = z.infer<typeof fileSchema>

/** The cells file is invalid; the message lists all problems and contains no secret. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError'

  constructor(file: string, problems: readonly string[]) {
    super(`${file} is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  }
}

/** Fills in values from files, and defaults. File paths are relative to the cells file. */
export function resolveDirectory(contents: DirectoryFile, file: string): Directory {
  const problems: string[] = []
  const from = (field: string, given: string | undefined, named: string | undefined) =>
    either({ field, given, named, folder: dirname(file) }, problems)
  const cells = Object.entries(contents.cells).map(([name, { storage, ...cell }]) => {
    const at = `cells.${name}`
    const database = from(`${at}.database`, cell.database, cell.databaseFile)
    const hasOther = cell.databaseForCells ?? cell.databaseForCellsFile
    const databaseForCells = hasOther
      ? from(`${at}.databaseForCells`, cell.databaseForCells, cell.databaseForCellsFile)
      : database
    const { accessKeyIdFile, secretAccessKeyFile } = storage
    return [
      name,
      {
        api: cell.api,
        keyEncryptionKeys: cell.keyEncryptionKeys,
        database,
        databaseForCells,
        storage: {
          endpoint: storage.endpoint,
          publicEndpoint: storage.publicEndpoint ?? storage.endpoint,
          region: storage.region,
          uploadsBucket: storage.uploadsBucket,
          mediaBucket: storage.mediaBucket,
          supportsForms: storage.forms,
          keepsVersions: storage.versions,
          accessKeyId: from(`${at}.storage.accessKeyId`, storage.accessKeyId, accessKeyIdFile),
          secretAccessKey: from(`${at}.storage.secretAccessKey`, storage.secretAccessKey, secretAccessKeyFile),
        },
      },
    ] as const
  })
  for (const [index, [name, { database }]] of cells.entries()) {
    const other = cells.slice(0, index).find(([, cell]) => isSameDatabase(cell.database, database))
    if (other) problems.push(`cells.${name}.database: is also the database of cell ${other[0]}`)
  }
  if (problems.length > 0) throw new DirectoryError(file, problems)
  return { ...contents, cells: Object.fromEntries(cells) }
}

/** Compares two database URLs, ignoring user and password. */
function isSameDatabase(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false
  const [left, right] = [new URL(one), new URL(other)]
  const port = (url: URL) => url.port || '5432'
  return (
    left.hostname !== '' &&
    left.hostname === right.hostname &&
    port(left) === port(right) &&
    left.pathname === right.pathname
  )
}

type Secret = {
  readonly field: string
  readonly given: string | undefined
  readonly named: string | undefined
  readonly folder: string
}

function either({ field, given, named, folder }: Secret, problems: string[]): string {
  if ((given === undefined) === (named === undefined)) {
    problems.push(`${field}: give either the value or its file in ${field.split('.').at(-1)}File`)
    return ''
  }
  if (named === undefined) return given ?? ''
  try {
    const text = readFileSync(resolve(folder, named), 'utf8').trim()
    if (text === '') problems.push(`${field}File: the file is empty`)
    return text
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    problems.push(`${field}File: the file cannot be read (${code})`)
    return ''
  }
}
