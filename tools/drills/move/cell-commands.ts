/** The operator's cell commands as processes that can be killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@reelkeep/testkit'
import { stackEnvironment } from '@reelkeep/testkit/settings'

export type CommandResult = {
  readonly code: number | null
  readonly answer: Record<string, unknown>
  readonly lines: readonly string[]
}

type KillOptions = {
  /** Text in the output line after which the command is killed. */
  readonly after: string
  readonly milliseconds: number
}

type Watch = {
  readonly kill?: KillOptions
  /** Interrupts the command like Ctrl-C. */
  readonly interrupt?: AbortSignal
  readonly onLine?: (line: string) => void
}

export async function runAdmin(
  cellsFile: string,
  args: readonly string[],
  { kill, interrupt, onLine }: Watch = {},
): Promise<CommandResult> {
  const program = ['--pdeathsig', 'KILL', process.execPath, join(root, 'server/src/main/admin.ts')]
  const child = spawn('setpriv', [...program, ...args, '--json'], {
    env: { ...stackEnvironment, CELLS_FILE: cellsFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    onLine?.(line)
    if (kill && line.includes(kill.after)) {
      void sleep(kill.milliseconds).then(() => child.kill('SIGKILL'))
    }
  })
  interrupt?.addEventListener('abort', () => child.kill('SIGINT'))
  const [code] = (await once(child, 'close')) as [number | null]
  const answer = code === 0 ? (JSON.parse(output) as Record<string, unknown>) : {}
  return { code, answer, lines }
}

export async function runAdminOrThrow(
  cellsFile: string,
  args: readonly string[],
  onLine: (line: string) => void = () => {},
): Promise<CommandResult> {
  const ended = await runAdmin(cellsFile, args, { onLine })
  if (ended.code !== 0) throw new Error(`${args.join(' ')} failed:\n${ended.lines.join('\n')}`)
  return ended
}
