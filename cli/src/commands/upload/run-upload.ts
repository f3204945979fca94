/** One run of `reelkeep upload`: finds the files, uploads them, and prints the results. */
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
import { type Found, findFiles } from './files/find-files.ts'
import { RemoteFolders } from './files/remote-folders.ts'
import { UnfinishedUploads } from './files/unfinished-uploads.ts'
import { assertNoFailures, type Outcome, renderFailed } from './outcome.ts'
import { type Display, openDisplay } from './progress/display.ts'
import { embedPageOf } from './progress/watch-video.ts'
import { RetryPolicy } from './retry-policy.ts'
import { newTransfer } from './transfer.ts'
import { Transfers } from './transfers.ts'
import { uploadAll } from './upload-all.ts'
import { toUploadSettings } from './upload-settings.ts'

export type UploadOptions = {
  readonly folder?: string
  readonly title?: string
  readonly resolutions?: readonly Resolution[]
  readonly protect?: string
  readonly subtitles?: boolean
  readonly description?: string
  readonly tag?: readonly string[]
  readonly externalId?: string
  readonly metadata?: Readonly<Record<string, string | null>>
  readonly watch?: boolean
  readonly recursive?: boolean
  readonly anyType?: boolean
  readonly concurrency: number
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
  const settings = toUploadSettings(options)
  const found = await findFiles(paths, {
    isRecursive: options.recursive === true,
    isAnyType: options.anyType === true,
    signal: cli.interrupted,
  })
  const count = found.files.length + found.skipped.length
  if (count === 0) throw new CommandError('No videos found to upload.', exitCodes.usage)

  const outcomes = skippedOutcomes(found)
  let canResumeLater = false
  {
    using display = openDisplay(output, options.watch === true)
    const print = (outcome: Outcome) =>
      display.above(() => printOutcome(output, outcome, { profile: run.profile, isOnly: count === 1 }))
    for (const outcome of outcomes) print(outcome)
    const sent = await send(cli, run, { found, settings, display, print })
    outcomes.push(...sent.outcomes)
    canResumeLater = sent.canResumeLater
  }
  if (cli.interrupted.aborted) throw interruptedError(output, outcomes, count, canResumeLater)
  assertNoFailures(outcomes)
}

/** Uploads the files. `canResumeLater` is true if an incomplete upload can be resumed. */
async function send(
  cli: Cli,
  { options, profile, reelkeep }: Run,
  plan: {
    readonly found: Found
    readonly settings: ReturnType<typeof toUploadSettings>
    readonly display: Display
    readonly print: (outcome: Outcome) => void
  },
): Promise<{ readonly outcomes: readonly Outcome[]; readonly canResumeLater: boolean }> {
  const { found, settings, display, print } = plan
  const output = cli.output()
  // Ctrl-C may abort resolving the folder, because no upload has started yet.
  const within = options.folder ? await resolveFolder(await connect(cli), options.folder) : null
  const signal = cli.interrupted
  const retryPolicy = new RetryPolicy(signal)
  if (within !== null) retryPolicy.reached()
  const note = (text: string) => display.above(() => output.note(text))
  const unfinishedUploads = options.resume
    ? new UnfinishedUploads(cli.environment, ({ message }) =>
        note(`Interrupted uploads cannot be resumed, because their state cannot be saved: ${printable(message)}`),
      )
    : undefined
  await unfinishedUploads?.removeOld(new Date())
  const outcomes = await uploadAll({
    files: found.files,
    settings,
    title: options.title,
    folders: new RemoteFolders(reelkeep, within, { signal, retryPolicy }),
    concurrency: options.concurrency,
    isWatching: options.watch === true,
    context: { reelkeep, profile, unfinishedUploads, signal, retryPolicy },
    transfers: new Transfers(
      found.files.map(({ path, sizeBytes }) => newTransfer(printable(basename(path)), sizeBytes)),
      display,
    ),
    onNote: note,
    onPlayable: (path, asset) => note(`${printable(path)}: ready to play at ${playbackPage(asset, profile)}`),
    onOutcome: print,
  })
  // Otherwise, the same command will be run again for the other files.
  if (!signal.aborted && !hasFailures(found, outcomes)) await unfinishedUploads?.removeCompleted()
  return { outcomes, canResumeLater: unfinishedUploads?.hasAny() === true }
}

const hasFailures = (found: Found, outcomes: readonly Outcome[]) =>
  found.skipped.length > 0 || outcomes.some(({ failure }) => failure !== undefined)

const skippedOutcomes = (found: Found): Outcome[] =>
  found.skipped.map(({ path, reason, code, exitCode }) => ({
    path,
    failure: { exitCode, message: reason, code },
  }))

const playbackPage = (asset: Asset, profile: Profile) => embedPageOf(asset, profile) ?? asset.video.playback_url

/**
 * Prints JSON lines, or results to stdout and failures to stderr. The failure of a single file is reported as
 * the failure of the command.
 */
function printOutcome(
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
        page_url: (asset && embedPageOf(asset, profile)) ?? null,
        error: failure ? { code: failure.code ?? null, message: failure.message } : null,
      },
      ({ paint }) => {
        const place = asset && playbackPage(asset, profile)
        const line = `${paint('green', '✓')} ${asset?.id}  ${printable(path)}`
        if (!asset || !place) return line
        const forWhom = `This link is for you and valid for at least six hours. For viewers: reelkeep assets link ${asset.id}`
        return `${line}\n  ${place}\n  ${paint('gray', forWhom)}`
      },
    )
  else if (!isOnly) output.note(({ paint }) => `${paint('red', '✗')} ${renderFailed(outcome)}`)
}

/** Creates the error after Ctrl-C, which says how to continue. */
function interruptedError(
  output: Output,
  outcomes: readonly Outcome[],
  count: number,
  canResumeLater: boolean,
): CommandError {
  const open = count - outcomes.length
  const next = canResumeLater
    ? 'Run the same command again to resume.'
    : 'Run the same command again to upload the rest.'
  output.note(
    open > 0
      ? `Stopped. ${open} of ${counted(count, 'file')} not uploaded. ${next}`
      : 'Stopped watching. All files are uploaded and will be processed. To follow: reelkeep assets watch',
  )
  return new CommandError('Interrupted.', exitCodes.interrupted)
}
