/**
 * A migration that does not wait until all earlier upload forms have expired: it is stopped with Ctrl-C while it only
 * waits for late uploads, and finished with `--no-follow`. The command must print how many uploads may be left behind.
 * There is at least one, whose form is never posted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Load } from '../load/load.ts'
import type { DrillReport } from '../support/drill-report.ts'
import { runAdmin, runAdminOrThrow } from './cell-commands.ts'

const ARRIVAL_SECONDS_MAX = 120
const POLL_MILLISECONDS = 100

type MoveWithoutFollowing = {
  readonly cellsFile: string
  readonly args: readonly string[]
  readonly to: string
  readonly load: Load
  readonly onLine: (line: string) => void
}

/** Returns the output lines of the migrator. */
export async function moveWithoutFollowing(
  report: DrillReport,
  { cellsFile, args, to, load, onLine }: MoveWithoutFollowing,
): Promise<readonly string[]> {
  const { asset: unposted } = await load.openForm()
  const interruption = new AbortController()
  const stopped = await runAdmin(cellsFile, args, {
    interrupt: interruption.signal,
    onLine: (line) => {
      onLine(line)
      if (!line.includes('copying uploads')) return
      void waitUntilFormsArrived(load, unposted.id).then(() => interruption.abort())
    },
  })
  const prints = (lines: readonly string[], what: string) => lines.some((one) => one.includes(what))
  report.check(`to ${to}: stopped while following, and prints how to continue`, `exit ${stopped.code}`, {
    isPassed: stopped.code === 1 && prints(stopped.lines, 'with --no-follow to skip them'),
    details: stopped.lines,
  })
  const ended = await runAdminOrThrow(cellsFile, [...args, '--no-follow'])
  const open = Number(ended.answer['sessions_open'])
  report.check(`to ${to}: finished with --no-follow, and prints how many may be left behind`, open, {
    isPassed: open >= 1 && prints(ended.lines, `${open} uploads that started before the move may still arrive`),
    details: ended.lines,
  })
  return [...stopped.lines, ...ended.lines]
}

/**
 * Waits until all posted forms have arrived, because `--no-follow` does not copy files that arrive in the old storage
 * later.
 */
async function waitUntilFormsArrived({ record }: Load, unpostedId: string): Promise<void> {
  const forms = record.assets.filter(({ id, file }) => file.method === 'form' && id !== unpostedId)
  const deadline = performance.now() + ARRIVAL_SECONDS_MAX * 1000
  const isPending = () => forms.some(({ file }) => file.completedAt === undefined)
  while (isPending() && performance.now() < deadline) await sleep(POLL_MILLISECONDS)
}
