import { clearLine, moveCursor } from 'node:readline'
import { Command } from 'commander'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { readProfile } from '../../profile/profile.ts'
import { type Check, runChecks } from './check.ts'
import type { CheckResult } from './check-result.ts'
import { apiIsReelkeep, apiReachable } from './checks/api.ts'
import { clock, storageClock } from './checks/clock.ts'
import { apiCors, storageCors } from './checks/cors.ts'
import { notificationPath } from './checks/notification.ts'
import { playback } from './checks/playback.ts'
import { processing } from './checks/processing.ts'
import { storageParts, storageReachable, storageSignature, uploadSession } from './checks/storage.ts'
import { token, tokenScopes } from './checks/token.ts'
import type { DoctorContext } from './context.ts'
import { queryOperations } from './operations.ts'
import { renderResult, renderSummary } from './render-results.ts'
import { deleteTestAssets } from './test-asset.ts'

const WAIT_SECONDS = 60
const WAIT_SECONDS_MAX = 3600

type Options = { origin?: string; operations: string[]; quick?: true; wait: number }

export const doctorCommand = (cli: Cli): Command =>
  new Command('doctor')
    .description('Diagnose problems between this machine, the API, storage and the workers')
    .option('--origin <origin>', 'Also check CORS for pages of this origin', toOrigin)
    .option('--operations <url>', 'Also read the results of this operations port; may be repeated', collected, [])
    .option('--quick', 'Do not process a video')
    .option('--wait <seconds>', 'How long to wait for slow steps', toSeconds, WAIT_SECONDS)
    .action(async (options: Options) => {
      const results = await runDoctor(cli, options)
      cli.output().result({ results }, (style) => renderSummary(results, style))
      if (results.some(({ status }) => status === 'failed')) cli.setExitCode(exitCodes.badOutcome)
    })

const collected = (value: string, before: readonly string[]) => [...before, value]

/** Parses an origin in the form that browsers send. With a trailing slash, no CORS rule would match it. */
function toOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw new CommandError(
    `--origin must be an origin as browsers send it, such as https://studio.example, not “${text}”.`,
    exitCodes.usage,
  )
}

function toSeconds(text: string): number {
  const seconds = Number(text)
  if (seconds >= 1 && seconds <= WAIT_SECONDS_MAX) return seconds
  throw new CommandError(`--wait must be 1 to ${WAIT_SECONDS_MAX} seconds.`, exitCodes.usage)
}

/** The checks, in the order in which a video passes through the system. */
const checksFor = ({ origin, quick }: Options): Check[] => [
  ...[apiReachable, apiIsReelkeep, token, tokenScopes],
  ...(origin === undefined ? [] : [apiCors]),
  ...[uploadSession, storageReachable, clock, storageClock, storageSignature, storageParts],
  ...(origin === undefined ? [] : [storageCors]),
  notificationPath,
  ...(quick ? [] : [processing, playback]),
]

async function runDoctor(cli: Cli, options: Options): Promise<CheckResult[]> {
  const profile = await readProfile(cli.environment)
  const context: DoctorContext = {
    ...{ profile, origin: options.origin, waitSeconds: options.wait },
    ...{ reelkeep: await connect(cli), signal: cli.interrupted, createdAssets: [], shared: {} },
  }
  try {
    const results = await runChecks(checksFor(options), context, progressReporter(cli))
    return [...results, ...(await queryServices(cli, options, profile.url))]
  } finally {
    await cleanUp(cli, context)
  }
}

function progressReporter(cli: Cli) {
  const { note, item, isJson, isInteractive } = cli.output()
  let isLineOpen = false
  return {
    onStart: ({ description }: Check) => {
      note(`… ${description}`)
      isLineOpen = isInteractive
    },
    onResult: (result: CheckResult) => {
      if (isLineOpen) eraseLine()
      isLineOpen = false
      if (!isJson) item(result, (style) => renderResult(result, style))
    },
  }
}

/** Erases the current line: in a terminal, the result replaces the description of the running check. */
function eraseLine(): void {
  moveCursor(process.stderr, 0, -1)
  clearLine(process.stderr, 0)
}

async function queryServices(cli: Cli, { operations }: Options, apiUrl: string): Promise<CheckResult[]> {
  const reports = await queryOperations(
    { given: operations, token: cli.environment['REELKEEP_OPERATIONS_TOKEN'] },
    apiUrl,
    cli.interrupted,
  )
  for (const { url, results } of reports) {
    cli.output().note(`Results of ${url}:`)
    for (const result of results) progressReporter(cli).onResult(result)
  }
  return reports.flatMap(({ url, results }) => results.map((result) => ({ ...result, operations_url: url })))
}

/** Deletes the created assets. Also runs after Ctrl-C, so it uses a client without the abort signal. */
async function cleanUp({ environment, output }: Cli, { createdAssets }: DoctorContext): Promise<void> {
  if (createdAssets.length === 0) return
  const left = await deleteTestAssets(await connect({ environment }), createdAssets)
  if (left.length > 0) output().note(`Could not delete: ${left.join(', ')}. Delete them with: reelkeep assets delete`)
}
