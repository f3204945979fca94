import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repeatsMap } from '@reelkeep/server/cells/repeats.rules.ts'
import { root } from '@reelkeep/testkit/settings'

export const EDGE_CONFIGURATION = 'deploy/compose/edge/api.conf'

const BEGIN = '# From here on `pnpm generate` writes it, from the contract.\n'
const END = '# Up to here.\n'

/** Compose's configuration of the API's name, in which the map alone is generated. */
export function edgeConfiguration(): string {
  const text = readFileSync(join(root, EDGE_CONFIGURATION), 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${EDGE_CONFIGURATION} has no place for the map`)
  return `${text.slice(0, begin)}${BEGIN}${repeatsMap()}${text.slice(end)}`
}
