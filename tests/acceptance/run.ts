/** `pnpm accept [names of test files]`: the acceptance suite, against the service that the environment names. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { judged, root } from '@reelkeep/testkit/settings'

const subject = judged.baseUrl ?? 'a service of our own, on the stack of the tests'
process.stdout.write(`The acceptance suite judges ${subject}.\n`)

const vitest = join(root, 'node_modules/.bin/vitest')
const options = ['run', '--project', 'acceptance', ...process.argv.slice(2)]
const { status, error } = spawnSync(vitest, options, { cwd: root, stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 1
