/**
 * A worker in small, for tests that need one to kill or to run as somebody else: runs a task and
 * prints how it ended.
 */
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
const signal =
  abortAfterMilliseconds === undefined ? never : AbortSignal.timeout(abortAfterMilliseconds)
const run = await runInSandbox({ mode }, task, signal)
stdout.write(JSON.stringify({ ...run, stdout: run.stdout.toString('utf8') }))

/** As many as the process may have, which is the caller's to keep small. */
function useUpDescriptors(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {
    // There are none left, as it should be.
  }
}
