/** Runs a shell script, and stops it together with all programs that it has started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { poll } from '@reelkeep/testkit'

/** Ten times what the longest page takes, for busy machines. A script that hangs is stopped and names its sample. */
const SECONDS_MAX = 500
/** Timeout of a test that runs a script. */
export const SCRIPT_TEST_MS = (SECONDS_MAX + 60) * 1000
/** How long the programs of a script may take to end before they are killed. */
const STOP_SECONDS_MAX = 2

/** Scripts call `begin NAME` before each sample. */
const HEADER = `sample=setup
begin() { sample=$1; printf '\\n== %s\\n' "$sample"; }
`

export type RunResult = { readonly code: number; readonly output: string }

type Options = { readonly env: Record<string, string>; readonly secondsMax?: number }

export async function runScript(folder: string, script: string, options: Options): Promise<RunResult> {
  const { env, secondsMax = SECONDS_MAX } = options
  writeFileSync(join(folder, 'samples.sh'), `${HEADER}${script}`)
  // `detached` creates a process group, to which all programs of the script belong.
  const child = spawn('bash', ['samples.sh'], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const closed = once(child, 'close')
  let isTimedOut = false
  const limit = setTimeout(() => {
    isTimedOut = true
    void stopGroup(child.pid)
  }, secondsMax * 1000)
  const [exitCode] = await once(child, 'exit')
  clearTimeout(limit)
  await stopGroup(child.pid)
  await closed
  if (!isTimedOut) return { code: exitCode === 0 ? 0 : 1, output }
  const sample = output.match(/(?<=^== ).+$/gm)?.at(-1) ?? 'the first sample'
  return { code: 1, output: `${output}\nThe script timed out after ${secondsMax} s, at ${sample}.` }
}

async function stopGroup(id: number | undefined): Promise<void> {
  if (id === undefined) return
  signalGroup(id, 'SIGTERM')
  await poll('the programs of the script to end', STOP_SECONDS_MAX, () => !signalGroup(id, 0)).catch(() => {
    signalGroup(id, 'SIGKILL')
  })
}

/** Returns false if the group has no process. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal)
  } catch {
    return false
  }
}
