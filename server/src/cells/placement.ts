import type { OrganizationId } from '../kernel/ids.ts'
import { type Cell, type CellName, cellNameOf, type Directory } from './directory.rules.ts'

export type Placement = { readonly name: CellName; readonly cell: Cell }

/**
 * The cell of an organization. The cells file is the only source: the router's configuration is generated from it, and
 * a migration changes it.
 */
export function placement(directory: Directory, organizationId: OrganizationId): Placement {
  return requireCell(directory, cellNameOf(directory, organizationId))
}

export class NoSuchCell extends Error {
  override readonly name = 'NoSuchCell'
}

export function requireCell({ cells }: Pick<Directory, 'cells'>, name: CellName): Placement {
  const cell = Object.hasOwn(cells, name) ? cells[name] : undefined
  if (cell) return { name, cell }
  const known = Object.keys(cells).sort().join(', ')
  throw new NoSuchCell(`There is no cell ${name}. Known cells: ${known}.`)
}
