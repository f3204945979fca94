import type { OrganizationId } from '../kernel/ids.ts'
import { type Cell, type CellName, cellNameOf, type Directory } from './directory.rules.ts'

export type Placement = { readonly name: CellName; readonly cell: Cell }

/**
 * Where an organization lives. Nobody else decides it: the router is written from it, and a move
 * changes what it says.
 */
export function placement(directory: Directory, organizationId: OrganizationId): Placement {
  return requireCell(directory, cellNameOf(directory, organizationId))
}

/** Somebody named a cell that the directory does not have. */
export class NoSuchCell extends Error {
  override readonly name = 'NoSuchCell'
}

export function requireCell({ cells }: Pick<Directory, 'cells'>, name: CellName): Placement {
  const cell = Object.hasOwn(cells, name) ? cells[name] : undefined
  if (cell) return { name, cell }
  const known = Object.keys(cells).sort().join(', ')
  throw new NoSuchCell(`There is no cell ${name}. Those of the directory: ${known}.`)
}
