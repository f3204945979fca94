/** Small tasks for the sandbox, and workers in small that run them. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Limits } from '../src/sandbox/limits.ts'
import { runInSandbox } from '../src/sandbox/sandbox.ts'
import type { Task, TaskInput } from '../src/sandbox/task.ts'

export const smallLimits: Limits = {
  wallSeconds: 15,
  cpuSeconds: 10,
  memoryBytes: 2 ** 30,
  fileBytes: 2 ** 20,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 2 ** 20,
  stderrBytes: 2 ** 20,
}
export const never = new AbortController().signal
export const noInput: TaskInput = { kind: 'none' }

export const taskOf = (
  program: string,
  given: readonly string[],
  rest: Partial<Task> = {},
): Task => ({
  ...{ program: `/usr/bin/${program}`, arguments: given, input: noInput, limits: smallLimits },
  ...rest,
})

export const inBubblewrap = (task: Task, signal = never) =>
  runInSandbox({ mode: 'bubblewrap' }, task, signal)

/** Sleeps that nobody else sleeps, so that the process can be found from outside. */
let sleeps = 0
export const uniqueSleep = () => `${3000 + process.pid / 1e7 + ++sleeps}`

/** As somebody without rights on this machine, if we have them. */
export function startWorker(order: object) {
  const command = [
    process.execPath,
    join(import.meta.dirname, 'run-task.ts'),
    JSON.stringify(order),
  ]
  const demoted = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...command]
  const [program = '', ...given] = [
    ...['prlimit', '--nofile=256'],
    ...(process.getuid?.() === 0 ? demoted : command),
  ]
  return spawn(program, given, { stdio: ['ignore', 'pipe', 'inherit'] })
}

export async function asOrdinaryUser(order: object): Promise<{ ending: object; stderr: string }> {
  const worker = startWorker(order)
  return JSON.parse(await text(worker.stdout))
}
