/** Runs the real upload command as a child process, and reads the progress that it prints. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { commandEnvironment, root } from '@reelkeep/testkit'

const command = [process.execPath, join(root, 'cli/src/main.ts'), 'upload']

export type RunResult = {
  readonly exitCode: number | null
  readonly output: string
  /** All displayed percentages, in order. */
  readonly percents: readonly number[]
}

export class UploadRun {
  readonly child: ChildProcess
  #output = ''

  private constructor(child: ChildProcess) {
    this.child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString()
      })
  }

  /** Runs the command in a terminal, where it draws a progress bar ten times a second. */
  static inTerminal(file: string, env: Record<string, string>): UploadRun {
    const line = `stty cols 100 rows 30; exec ${[...command, file].join(' ')}`
    return new UploadRun(spawn('script', ['-qefc', line, '/dev/null'], options(env)))
  }

  /** Runs the command without a terminal, where it prints progress in lines. */
  static withoutTerminal(file: string, env: Record<string, string>): UploadRun {
    const [program = '', ...args] = command
    return new UploadRun(spawn(program, [...args, file], options(env)))
  }

  async result(file: string): Promise<RunResult> {
    const [exitCode] = await once(this.child, 'close')
    const output = stripVTControlCharacters(this.#output)
    return { exitCode, output, percents: percentsIn(output, basename(file)) }
  }
}

const options = (env: Record<string, string>) => ({
  env: { PATH: '/usr/bin:/bin', TERM: 'xterm', ...commandEnvironment, ...env },
  stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
})

/** Finds percentages in progress bars ("name ━━━─── 61 %") and in log lines ("name: 61 % sent"). */
function percentsIn(output: string, name: string): number[] {
  const form = new RegExp(`${name.replaceAll('.', '\\.')}(?: +[━╸─]+ +|: )(\\d+) %`, 'g')
  return [...output.matchAll(form)].map(([, percent]) => Number(percent))
}
