/** Values of many organizations, up to a limit for all of them and one for each. */
import { LRUCache } from 'lru-cache'
import type { OrganizationId } from '../../../kernel/ids.ts'

/** Maximum number of values: a few for each video that is watched on one instance. */
const VALUES_MAX = 50_000
/** Maximum number of values of one organization, so that its viewers do not evict the values of all others. */
const VALUES_PER_ORGANIZATION_MAX = 10_000
/** Maximum number of rows in all values: about 100 MB. */
const ROWS_MAX = 500_000

type Entry = { readonly organizationId: OrganizationId; readonly value: object }

export class OrganizationValues {
  readonly #entries: LRUCache<string, Entry>
  /** Names of the entries of each organization, the oldest first. */
  readonly #names = new Map<OrganizationId, Set<string>>()

  /** The values expire after this time. */
  constructor(seconds: number) {
    this.#entries = new LRUCache({
      ...{ max: VALUES_MAX, maxSize: ROWS_MAX, sizeCalculation: ({ value }) => rowsIn(value) },
      ...{ ttl: seconds * 1000, ttlResolution: 0, perf: { now: () => performance.now() } },
      dispose: ({ organizationId }, name) => this.#forget(organizationId, name),
    })
  }

  get(organizationId: OrganizationId, name: string): object | undefined {
    return this.#entries.get(fullName(organizationId, name))?.value
  }

  set(organizationId: OrganizationId, name: string, value: object): void {
    const full = fullName(organizationId, name)
    this.#entries.set(full, { organizationId, value })
    // A value with too many rows is not kept.
    if (!this.#entries.has(full)) return
    const names = this.#names.get(organizationId) ?? new Set<string>()
    this.#names.set(organizationId, names.add(full))
    if (names.size > VALUES_PER_ORGANIZATION_MAX) this.#deleteOldest(names)
  }

  /** Deletes a tenth at once, because finding the oldest name in a set is slow after many deletions. */
  #deleteOldest(names: Set<string>): void {
    for (const full of names) {
      if (names.size <= VALUES_PER_ORGANIZATION_MAX * 0.9) return
      this.#entries.delete(full)
    }
  }

  delete(organizationId: OrganizationId, name: string): void {
    this.#entries.delete(fullName(organizationId, name))
  }

  /** Deletes all values of an organization. */
  clear(organizationId: OrganizationId): void {
    for (const full of this.#names.get(organizationId) ?? []) this.#entries.delete(full)
  }

  #forget(organizationId: OrganizationId, full: string): void {
    const names = this.#names.get(organizationId)
    names?.delete(full)
    if (names?.size === 0) this.#names.delete(organizationId)
  }
}

const fullName = (organizationId: OrganizationId, name: string) => `${organizationId}/${name}`

/** Number of rows in a value, whose members are lists of rows or single rows; at least one. */
const rowsIn = (value: object): number =>
  Object.values(value).reduce<number>((sum, rows) => sum + (Array.isArray(rows) ? rows.length : 0), 1)
