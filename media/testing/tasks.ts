/** Small tasks for the sandbox, and minimal workers that run them. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Limits } from '../src/sandbox/limits.ts'
import { runInSandbox } from '../src/sandbox/sandbox.ts'
import type { Task, TaskInput } from '../src/sandbox/task.ts'

export const smallLimits: Limits = {
  // This time limit is long enough for a second of CPU time on a busy machine.
  wallSeconds: 120,
  cpuSeconds: 10,
  memoryBytes: 2 ** 30,
  fileBytes: 2 ** 20,
  writtenBytes: 10 * 2 ** 20,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 2 ** 20,
  stderrBytes: 2 ** 20,
}
export const never = new AbortController().signal
export const noInput: TaskInput = { kind: 'none' }

export const taskOf = (program: string, given: readonly string[], rest: Partial<Task> = {}): Task => ({
  ...{ program: `/usr/bin/${program}`, arguments: given, input: noInput, limits: smallLimits },
  ...rest,
})

export const inBubblewrap = (task: Task, signal = never) => runInSandbox({ mode: 'bubblewrap' }, task, signal)

/** Each task sleeps for a unique duration, so that tests can find its process from outside. */
let sleeps = 0
export const uniqueSleep = () => `${3000 + process.pid / 1e7 + ++sleeps}`

/** Starts a worker as an unprivileged user if the tests run as root. */
export function startWorker(options: object) {
  const command = [process.execPath, join(import.meta.dirname, 'run-task.ts'), JSON.stringify(options)]
  const demoted = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', ...command]
  const [program = '', ...given] = [...['prlimit', '--nofile=256'], ...(process.getuid?.() === 0 ? demoted : command)]
  return spawn(program, given, { stdio: ['ignore', 'pipe', 'inherit'] })
}

export async function runUnprivileged(options: object): Promise<{ exitStatus: object; stderr: string }> {
  const worker = startWorker(options)
  return JSON.parse(await text(worker.stdout))
}
