/**
 * How the directory is written down: JSON that the operator keeps. What is left out and what comes
 * from files is filled in here.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isOrganizationId } from '../kernel/ids.ts'
import { httpUrl, postgresUrl } from '../platform/config/fields.ts'
import { namesOf } from '../upkeep/apart.rules.ts'
import type { Directory } from './directory.rules.ts'

/** More machines than anybody puts in front of one database. */
const API_INSTANCES_MAX = 100
/** What nginx still reads in a second. Cells of their own for small organizations are not listed one by one. */
const ORGANIZATIONS_MAX = 200_000
const CELLS_MAX = 1000
const PROXIES_MAX = 100

const cellName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a name of a-z, 0-9 and -')

const apiAddress = z
  .string()
  .regex(/^http:\/\/[a-z0-9.:[\]-]+:\d{1,5}$/i, 'must be an address such as http://10.0.0.1:8080')

const path = z.string().min(1)
const secret = { accessKeyId: path.optional(), accessKeyIdFile: path.optional() }
const secretKey = { secretAccessKey: path.optional(), secretAccessKeyFile: path.optional() }

const storage = z.strictObject({
  endpoint: httpUrl,
  publicEndpoint: httpUrl.optional(),
  region: z.string().min(1).default('us-east-1'),
  uploadsBucket: z.string().min(3).default('reelkeep-uploads'),
  mediaBucket: z.string().min(3).default('reelkeep-media'),
  /** As the settings STORAGE_FORMS and STORAGE_VERSIONS of the cell have it. */
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
    .regex(/^[\w.:[\] -]+$/, 'must be what nginx listens on, such as 8080 or 443 ssl')
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

const underWay = z.strictObject({
  from: cellName,
  to: cellName,
  stage: z.enum(['copying', 'arrived']),
})

/** What stands in the file. */
export const writtenDirectory = z
  .strictObject({
    version: z.int().min(0).default(0),
    cells: z.record(cellName, cell),
    newOrganizations: cellName,
    organizations: z.record(z.string(), cellName).default({}),
    /** Kept by the command that moves. */
    moves: z.record(z.string(), underWay).default({}),
    router: router.prefault({}),
  })
  .superRefine(({ cells, newOrganizations, organizations }, context) => {
    const complain = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message })
    if (Object.keys(cells).length > CELLS_MAX) complain(['cells'], `has more than ${CELLS_MAX}`)
    if (Object.keys(organizations).length > ORGANIZATIONS_MAX)
      complain(['organizations'], `has more than ${ORGANIZATIONS_MAX}`)
    if (!Object.hasOwn(cells, newOrganizations))
      complain(['newOrganizations'], `is ${newOrganizations}, which is none of the cells`)
    for (const [id, name] of Object.entries(organizations)) {
      if (!isOrganizationId(id)) complain(['organizations', id], 'is no id of an organization')
      if (!Object.hasOwn(cells, name))
        complain(['organizations', id], `is ${name}, which is none of the cells`)
    }
    for (const { name, bucket, others } of sharedBuckets(cells))
      complain(['cells', name, 'storage', bucket], `is ${others}: each bucket is of one cell`)
  })

type Written = Readonly<Record<string, { readonly storage: z.infer<typeof storage> }>>

/**
 * Where two cells share a bucket, to forget what an organization left in one of them would delete
 * what it has in the other.
 */
function sharedBuckets(cells: Written) {
  const seen = new Map<string, string>()
  const shared: { name: string; bucket: string; others: string }[] = []
  for (const [name, { storage }] of Object.entries(cells)) {
    for (const bucket of ['uploadsBucket', 'mediaBucket'] as const) {
      const { endpoint, publicEndpoint = endpoint } = storage
      const places = namesOf({ endpoint, publicEndpoint }, storage[bucket])
      const others = places.map((place) => seen.get(place)).find((found) => found !== undefined)
      if (others !== undefined) shared.push({ name, bucket, others })
      for (const place of places) seen.set(place, others ?? `${bucket} of cell ${name} as well`)
    }
  }
  return shared
}

export type WrittenDirectory = z.infer<typeof writtenDirectory>

/** The directory cannot be used; the message lists all that is wrong with it, and no secret. */
export class DirectoryFault extends Error {
  override readonly name = 'DirectoryFault'

  constructor(file: string, faults: readonly string[]) {
    super(`${file} needs mending:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  }
}

/** Fills in what files hold, and what goes without saying. Files are named from where the directory lies. */
export function completed(written: WrittenDirectory, file: string): Directory {
  const faults: string[] = []
  const from = (place: string, given: string | undefined, named: string | undefined) =>
    either({ place, given, named, folder: dirname(file) }, faults)
  const cells = Object.entries(written.cells).map(([name, { storage, ...cell }]) => {
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
          takesForms: storage.forms,
          keepsVersions: storage.versions,
          accessKeyId: from(`${at}.storage.accessKeyId`, storage.accessKeyId, accessKeyIdFile),
          secretAccessKey: from(
            `${at}.storage.secretAccessKey`,
            storage.secretAccessKey,
            secretAccessKeyFile,
          ),
        },
      },
    ] as const
  })
  for (const [index, [name, { database }]] of cells.entries()) {
    const other = cells.slice(0, index).find(([, cell]) => isSameDatabase(cell.database, database))
    if (other) faults.push(`cells.${name}.database: is that of cell ${other[0]} as well`)
  }
  if (faults.length > 0) throw new DirectoryFault(file, faults)
  return { ...written, cells: Object.fromEntries(cells) }
}

/** By whomever it is connected to. */
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
  readonly place: string
  readonly given: string | undefined
  readonly named: string | undefined
  readonly folder: string
}

function either({ place, given, named, folder }: Secret, faults: string[]): string {
  if ((given === undefined) === (named === undefined)) {
    faults.push(`${place}: say it, or name its file in ${place.split('.').at(-1)}File; one of them`)
    return ''
  }
  if (named === undefined) return given ?? ''
  try {
    const text = readFileSync(resolve(folder, named), 'utf8').trim()
    if (text === '') faults.push(`${place}File: names a file that is empty`)
    return text
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    faults.push(`${place}File: names a file that cannot be read (${code})`)
    return ''
  }
}
