import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** How long a process may take to end after the signal before it is killed. */
const STOP_SECONDS_MAX = 60

/** Stops a process, even if a test has frozen it. Resolves with the exit code. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  child.kill('SIGCONT')
  const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS_MAX * 1000)
  const [code] = await exited
  clearTimeout(overdue)
  return code as number | null
}
