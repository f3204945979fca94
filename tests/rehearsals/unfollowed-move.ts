/**
 * A move whose operator does not want to wait until every form from before has expired: it is
 * stopped as by Ctrl-C once it only follows, and ended with `--no-follow`, which must say how many
 * uploads may be left behind. One is: its form is never posted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from './figures.ts'
import type { Load } from './load.ts'
import { runAdmin, runAdminWell } from './mover.ts'

const ARRIVAL_SECONDS_MAX = 120
const LOOK_MILLISECONDS = 100

type UnfollowedMove = {
  readonly cellsFile: string
  /** Of the command. */
  readonly words: readonly string[]
  readonly to: string
  readonly load: Load
  readonly onLine: (line: string) => void
}

/** Answers the lines of the mover. */
export async function moveUnfollowed(
  figures: Figures,
  { cellsFile, words, to, load, onLine }: UnfollowedMove,
): Promise<readonly string[]> {
  const { asset: unposted } = await load.openForm()
  const interruption = new AbortController()
  const stopped = await runAdmin(cellsFile, words, {
    interrupt: interruption.signal,
    onLine: (line) => {
      onLine(line)
      if (!line.includes('following uploads')) return
      void untilFormsArrived(load, unposted.id).then(() => interruption.abort())
    },
  })
  const tells = (lines: readonly string[], what: string) => lines.some((one) => one.includes(what))
  figures.judge(
    `to ${to}: stopped while it followed, and says how to go on`,
    `exit ${stopped.code}`,
    stopped.code === 1 && tells(stopped.lines, 'with --no-follow to be done with it'),
    stopped.lines,
  )
  const ended = await runAdminWell(cellsFile, [...words, '--no-follow'])
  const open = Number(ended.answer['sessions_open'])
  figures.judge(
    `to ${to}: ended with --no-follow, and says how many may be left behind`,
    open,
    open >= 1 && tells(ended.lines, `${open} uploads that were begun before may still arrive`),
    ended.lines,
  )
  return [...stopped.lines, ...ended.lines]
}

/** What the load has posted to the old storage would be lost without anybody who follows. */
async function untilFormsArrived({ record }: Load, unpostedId: string): Promise<void> {
  const forms = record.assets.filter(({ id, file }) => file.way === 'form' && id !== unpostedId)
  const deadline = performance.now() + ARRIVAL_SECONDS_MAX * 1000
  const isSome = () => forms.some(({ file }) => file.completedAt === undefined)
  while (isSome() && performance.now() < deadline) await sleep(LOOK_MILLISECONDS)
}
