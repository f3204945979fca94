/** The cells and the placement of organizations: types of the cells file, and decisions based on it. */
import type { OrganizationId } from '../kernel/ids.ts'

export type CellName = string

/** A complete copy of the service, as the migrator accesses it. */
export type Cell = {
  /** URLs of the API instances, such as "http://host:port". */
  readonly api: readonly string[]
  /** URL of the cell's database with a superuser's login: only superusers may create subscriptions. */
  readonly database: string
  /** URL of the cell's database for connections from the other cells' databases. */
  readonly databaseForCells: string
  /** The ids of the cell's KEY_ENCRYPTION_KEYS. */
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
  readonly supportsForms: boolean
  readonly keepsVersions: boolean
}

/** The router in front of the cells, and how its configuration is updated. */
export type Router = {
  /** Path of the router's configuration file. */
  readonly file?: string | undefined
  /** Folder with one file per migration that is newer than the configuration, so that no reload is needed. */
  readonly placements?: string | undefined
  /** Command with arguments that reloads the router after its configuration or the placement files have changed. */
  readonly reload?: readonly string[] | undefined
  /** URL at which the router returns the version of the cells file that it uses. */
  readonly url?: string | undefined
  /** Value of nginx's `listen` directive: "8080", "443 ssl". */
  readonly listen: string
  /** Networks of trusted proxies in front of the router, such as an edge or a load balancer. */
  readonly trustedProxies: readonly string[]
  /** Folder of the router's logs. */
  readonly logs: string
}

/** The migration of an organization between two cells, in progress. */
export type MoveEntry = {
  readonly from: CellName
  readonly to: CellName
  /** `arrived`: all data is at the destination, and the source is no longer authoritative. */
  readonly stage: 'copying' | 'arrived'
}

export type Directory = {
  /** Version of the cells file, which increases with every change. */
  readonly version: number
  readonly cells: Readonly<Record<CellName, Cell>>
  /** The cell of organizations that are not listed. */
  readonly newOrganizations: CellName
  readonly organizations: Readonly<Record<string, CellName>>
  readonly moves: Readonly<Record<string, MoveEntry>>
  readonly router: Router
}

/** The name of an organization's cell. */
export const cellNameOf = (
  { organizations, newOrganizations }: Pick<Directory, 'organizations' | 'newOrganizations'>,
  organizationId: OrganizationId,
): CellName =>
  Object.hasOwn(organizations, organizationId) ? (organizations[organizationId] ?? newOrganizations) : newOrganizations

export const moveOf = ({ moves }: Pick<Directory, 'moves'>, organizationId: OrganizationId): MoveEntry | undefined =>
  Object.hasOwn(moves, organizationId) ? moves[organizationId] : undefined
