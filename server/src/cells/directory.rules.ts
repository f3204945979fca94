/** Which cells there are, and which organizations live where: the form of the directory, and what is decided by it. */
import type { OrganizationId } from '../kernel/ids.ts'

export type CellName = string

/** One full copy of the service, as whoever moves organizations reaches it. */
export type Cell = {
  /** Where its instances of the API are, each as "http://host:port". */
  readonly api: readonly string[]
  /** Its database, as a superuser: only they may subscribe to another one. */
  readonly database: string
  /** The same as the other cells' databases reach it. */
  readonly databaseForCells: string
  /** The ids of its KEY_ENCRYPTION_KEYS. */
  readonly keyEncryptionKeys: readonly string[]
  readonly storage: CellStorage
}

export type CellStorage = {
  readonly endpoint: string
  readonly publicEndpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly uploadsBucket: string
  readonly mediaBucket: string
  readonly takesForms: boolean
  readonly keepsVersions: boolean
}

/** What stands in front of the cells, and how it learns of a change. */
export type Router = {
  /** Where its configuration is written to. */
  readonly file?: string | undefined
  /** A folder in which it finds moves that came after its configuration, so that none needs a reload. */
  readonly placements?: string | undefined
  /** A command and its arguments, run when the file, or that folder, has changed. */
  readonly reload?: readonly string[] | undefined
  /** Where it can be asked for the version that it goes by. */
  readonly url?: string | undefined
  /** As nginx wants it: "8080", "443 ssl". */
  readonly listen: string
  /** Networks of what stands before it and says for whom it asks: an edge, a load balancer. */
  readonly trustedProxies: readonly string[]
  /** The folder of its logs. */
  readonly logs: string
}

/** A move that has begun and is not over. */
export type UnderWay = {
  readonly from: CellName
  readonly to: CellName
  /** Once it has arrived, everything is at the destination, and the source has nothing to say any more. */
  readonly stage: 'copying' | 'arrived'
}

export type Directory = {
  /** Rises with every change. */
  readonly version: number
  readonly cells: Readonly<Record<CellName, Cell>>
  /** Where organizations live that are not listed. */
  readonly newOrganizations: CellName
  readonly organizations: Readonly<Record<string, CellName>>
  readonly moves: Readonly<Record<string, UnderWay>>
  readonly router: Router
}

/** The name of the cell in which an organization lives. */
export const cellNameOf = (
  { organizations, newOrganizations }: Pick<Directory, 'organizations' | 'newOrganizations'>,
  organizationId: OrganizationId,
): CellName =>
  Object.hasOwn(organizations, organizationId)
    ? (organizations[organizationId] ?? newOrganizations)
    : newOrganizations

/** The move of an organization that is under way. */
export const moveOf = (
  { moves }: Pick<Directory, 'moves'>,
  organizationId: OrganizationId,
): UnderWay | undefined =>
  Object.hasOwn(moves, organizationId) ? moves[organizationId] : undefined
