import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repeatsMap } from '@reelkeep/server/cells/repeats.rules.ts'
import { root } from '@reelkeep/testkit/settings'

export const EDGE_CONFIGURATION = 'deploy/compose/edge/api.conf'

const BEGIN = '# Begin of the part that `pnpm generate` writes from the contract.\n'
const END = '# End of the generated part.\n'

/**
 * Returns the nginx configuration that Compose uses for the API. Only the map between the two marker lines is
 * generated.
 */
export function edgeConfiguration(): string {
  const text = readFileSync(join(root, EDGE_CONFIGURATION), 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${EDGE_CONFIGURATION} has no generated part`)
  return `${text.slice(0, begin)}${BEGIN}${repeatsMap()}${text.slice(end)}`
}
