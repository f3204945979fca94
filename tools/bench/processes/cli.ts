/** `pnpm bench cli`: measures the CPU time that the bundled CLI needs to start, compared to Node alone. */
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { checkGoals } from '../support/goals.ts'
import { printTable } from '../support/table.ts'

const ROUNDS = 15
/** Maximum CPU time of a start, relative to that of Node alone. */
const GOAL = 2.5
const program = join(root, 'cli/dist/main.js')
const commands = { 'node -e 0': ['-e', '0'], 'reelkeep --version': [program, '--version'] }

/** CPU time of a run of Node, in user and system mode, without a compile cache. */
function cpuMilliseconds(args: readonly string[]): number {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null; } 2>&1'
  const run = ['-c', script, 'bash', process.execPath, ...args]
  const printed = execFileSync('bash', run, { env: { HOME: tmpdir() }, encoding: 'utf8' })
  const [user = 0, system = 0] = printed.trim().split(' ').map(Number)
  return 1000 * (user + system)
}

execFileSync('pnpm', ['--filter', 'reelkeep', '--filter', '@reelkeep/cli', 'build'], { cwd: root, stdio: 'pipe' })
const rounds = Array.from({ length: ROUNDS }, () => Object.values(commands).map(cpuMilliseconds))
// The least time is the one that other programs disturbed least.
const [bare = 0, cli = 0] = [0, 1].map((index) => Math.min(...rounds.map((round) => round[index] ?? 0)))
printTable([
  { program: 'node -e 0', 'CPU in ms': bare.toFixed(0), ratio: '1.00' },
  { program: 'reelkeep --version', 'CPU in ms': cli.toFixed(0), ratio: (cli / bare).toFixed(2) },
])
checkGoals([{ name: 'the CPU time of a start, relative to Node alone', value: cli / bare, max: GOAL }])
