/** A minimal worker that tests can kill or run as another user: runs a task and prints its result. */
import { openSync } from 'node:fs'
import { argv, stdout } from 'node:process'
import { runInSandbox, type SandboxMode } from '../src/sandbox/sandbox.ts'
import type { Task } from '../src/sandbox/task.ts'

const { mode, task, abortAfterMilliseconds, usesUpDescriptors } = JSON.parse(argv[2] ?? '') as {
  mode: SandboxMode
  task: Task
  abortAfterMilliseconds?: number
  usesUpDescriptors?: boolean
}
if (usesUpDescriptors) useUpDescriptors()
const never = new AbortController().signal
const signal = abortAfterMilliseconds === undefined ? never : AbortSignal.timeout(abortAfterMilliseconds)
const run = await runInSandbox({ mode }, task, signal)
stdout.write(JSON.stringify({ ...run, stdout: run.stdout.toString('utf8') }))

/** Opens files up to the limit of the process, which the caller keeps small. */
function useUpDescriptors(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // All file descriptors are in use.
  }
}
