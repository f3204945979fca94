/** One run of `reelkeep upload`: finds the files, sends them, and says what became of each. */
import { basename } from 'node:path'
import type { Asset, Reelkeep } from 'reelkeep'
import type { Resolution } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import type { Profile } from '../../profile/profile.ts'
import { counted } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { printable } from '../../terminal/width.ts'
import { resolveFolder } from '../folders/resolve-folder.ts'
import { type Display, openDisplay } from './display.ts'
import { type Found, findFiles } from './found-files.ts'
import { assertAllWell, drawFailed, type Outcome } from './outcome.ts'
import { Patience } from './patience.ts'
import { RemoteFolders } from './remote-folders.ts'
import { newTransfer } from './transfer.ts'
import { Transfers } from './transfers.ts'
import { UnfinishedUploads } from './unfinished-uploads.ts'
import { uploadAll } from './upload-all.ts'
import { pageOf } from './watched-video.ts'
import { wishFrom } from './wish.ts'

export type UploadOptions = {
  readonly folder?: string
  readonly title?: string
  readonly resolutions?: readonly Resolution[]
  readonly protect?: string
  readonly subtitles?: boolean
  readonly watch?: boolean
  readonly recursive?: boolean
  readonly atOnce: number
  readonly resume: boolean
}

type Run = {
  readonly paths: readonly string[]
  readonly options: UploadOptions
  readonly profile: Profile
  readonly reelkeep: Reelkeep
}

export async function runUpload(cli: Cli, run: Run): Promise<void> {
  const { paths, options } = run
  const output = cli.output()
  const wish = wishFrom(options)
  const found = await findFiles(paths, {
    isRecursive: options.recursive === true,
    signal: cli.interrupted,
  })
  const count = found.files.length + found.leftOut.length
  if (count === 0) throw new CommandError('There is no video to upload there.', exitCodes.usage)

  const outcomes = leftOut(found)
  let isKept = false
  {
    using display = openDisplay(output, options.watch === true)
    const tell = (outcome: Outcome) =>
      display.above(() =>
        tellOutcome(output, outcome, { profile: run.profile, isOnly: count === 1 }),
      )
    for (const outcome of outcomes) tell(outcome)
    const sent = await send(cli, run, { found, wish, display, tell })
    outcomes.push(...sent.outcomes)
    isKept = sent.isKept
  }
  if (cli.interrupted.aborted) throw stopped(output, outcomes, count, isKept)
  assertAllWell(outcomes)
}

/** `isKept`: something of what did not arrive as a whole is remembered. */
async function send(
  cli: Cli,
  { options, profile, reelkeep }: Run,
  stage: {
    readonly found: Found
    readonly wish: ReturnType<typeof wishFrom>
    readonly display: Display
    readonly tell: (outcome: Outcome) => void
  },
): Promise<{ readonly outcomes: readonly Outcome[]; readonly isKept: boolean }> {
  const { found, wish, display, tell } = stage
  const output = cli.output()
  // Nothing has been begun that would have to be put in order.
  const within = options.folder ? await resolveFolder(await connect(cli), options.folder) : null
  const signal = cli.interrupted
  const patience = new Patience(signal)
  if (within !== null) patience.reached()
  const note = (text: string) => display.above(() => output.note(text))
  const memory = options.resume
    ? new UnfinishedUploads(cli.environment, ({ message }) =>
        note(
          `What is stopped begins anew, for uploads cannot be remembered: ${printable(message)}`,
        ),
      )
    : undefined
  await memory?.forgetOldOnes(new Date())
  const outcomes = await uploadAll({
    files: found.files,
    wish,
    title: options.title,
    folders: new RemoteFolders(reelkeep, within, { signal, patience }),
    atOnce: options.atOnce,
    isWatching: options.watch === true,
    sending: { reelkeep, profile, memory, signal, patience },
    transfers: new Transfers(
      found.files.map(({ path, sizeBytes }) => newTransfer(printable(basename(path)), sizeBytes)),
      display,
    ),
    onNote: note,
    onPlayable: (path, asset) =>
      note(`${printable(path)}: can be played at ${placeOf(asset, profile)}`),
    onOutcome: tell,
  })
  return { outcomes, isKept: memory?.holdsAny() === true }
}

const leftOut = (found: Found): Outcome[] =>
  found.leftOut.map(({ path, reason, code, exitCode }) => ({
    path,
    failure: { exitCode, message: reason, code },
  }))

const placeOf = (asset: Asset, profile: Profile) =>
  pageOf(asset, profile) ?? asset.video.playback_url

/**
 * A line of JSON for each file; for people, results to stdout and failures to stderr. The only
 * file's failure is that of the command.
 */
function tellOutcome(
  output: Output,
  outcome: Outcome,
  { profile, isOnly }: { readonly profile: Profile; readonly isOnly: boolean },
): void {
  const { path, asset, failure } = outcome
  if (output.isJson || asset)
    output.item(
      {
        file: path,
        asset: asset ?? null,
        page_url: (asset && pageOf(asset, profile)) ?? null,
        error: failure ? { code: failure.code ?? null, message: failure.message } : null,
      },
      ({ paint }) => {
        const place = asset && placeOf(asset, profile)
        const told = `${paint('green', '✓')} ${asset?.id}  ${printable(path)}`
        if (!asset || !place) return told
        const forWhom = `For you, for six hours at least. For viewers: reelkeep assets link ${asset.id}`
        return `${told}\n  ${place}\n  ${paint('gray', forWhom)}`
      },
    )
  else if (!isOnly) output.note(({ paint }) => `${paint('red', '✗')} ${drawFailed(outcome)}`)
}

/** How to go on, for whoever pressed Ctrl-C. */
function stopped(
  output: Output,
  outcomes: readonly Outcome[],
  count: number,
  isKept: boolean,
): CommandError {
  const open = count - outcomes.length
  const next = isKept
    ? 'What has arrived of them is kept: run the same command again, and it goes on there.'
    : 'They begin anew when the same command is run again.'
  output.note(
    open > 0
      ? `Stopped with ${open} of ${counted(count, 'file')} not sent. ${next}`
      : 'Stopped watching. The files have arrived, and their videos are made all the same: reelkeep assets watch',
  )
  return new CommandError('Interrupted.', exitCodes.interrupted)
}
