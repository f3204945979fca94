import { clearLine, moveCursor } from 'node:readline'
import { Command } from 'commander'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { readProfile } from '../../profile/profile.ts'
import { type Check, runChecks } from './check.ts'
import { apiIsReelkeep, apiReachable, apiReady } from './checks/api.ts'
import { clock, storageClock } from './checks/clock.ts'
import { apiCors, storageCors } from './checks/cors.ts'
import { notificationPath } from './checks/notification.ts'
import { playback } from './checks/playback.ts'
import { processing } from './checks/processing.ts'
import {
  storageParts,
  storageReachable,
  storageSignature,
  uploadSession,
} from './checks/storage.ts'
import { token, tokenScopes } from './checks/token.ts'
import { drawFinding, drawSum } from './drawing.ts'
import type { Finding } from './finding.ts'
import { askOperations } from './operations.ts'
import type { Patient } from './patient.ts'
import { deleteTrials } from './trial.ts'

const WAIT_SECONDS = 60
const WAIT_SECONDS_MAX = 3600

type Options = { origin?: string; operations: string[]; quick?: true; wait: number }

export const doctorCommand = (cli: Cli): Command =>
  new Command('doctor')
    .description('find out what is wrong between you, the API, storage and the workers')
    .option(
      '--origin <origin>',
      'also see whether pages of this origin may call the API and upload',
      toOrigin,
    )
    .option('--operations <url>', 'also ask this operations port; may be repeated', collected, [])
    .option('--quick', 'do not have a video made')
    .option('--wait <seconds>', 'how long to wait for what takes its time', toSeconds, WAIT_SECONDS)
    .action(async (options: Options) => {
      const findings = await examine(cli, options)
      cli.output().result({ findings }, (look) => drawSum(findings, look))
      if (findings.some(({ state }) => state === 'fault')) cli.endWith(exitCodes.badOutcome)
    })

const collected = (value: string, before: readonly string[]) => [...before, value]

/** As browsers send it: whoever has a slash at its end would be told that a rule that fits does not. */
function toOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw new CommandError(
    `--origin takes an origin as browsers send it, such as https://studio.example, and not “${text}”.`,
    exitCodes.usage,
  )
}

function toSeconds(text: string): number {
  const seconds = Number(text)
  if (seconds >= 1 && seconds <= WAIT_SECONDS_MAX) return seconds
  throw new CommandError(`--wait takes 1 to ${WAIT_SECONDS_MAX} seconds.`, exitCodes.usage)
}

/** In this order: each looks a little further than those before it. */
const checksFor = ({ origin, quick }: Options): Check[] => [
  ...[apiReachable, apiIsReelkeep, apiReady, token, tokenScopes],
  ...(origin === undefined ? [] : [apiCors]),
  ...[uploadSession, storageReachable, clock, storageClock, storageSignature, storageParts],
  ...(origin === undefined ? [] : [storageCors]),
  notificationPath,
  ...(quick ? [] : [processing, playback]),
]

async function examine(cli: Cli, options: Options): Promise<Finding[]> {
  const profile = await readProfile(cli.environment)
  const patient: Patient = {
    ...{ profile, origin: options.origin, waitSeconds: options.wait },
    ...{ reelkeep: await connect(cli), signal: cli.interrupted, made: [], seen: {} },
  }
  try {
    const findings = await runChecks(checksFor(options), patient, teller(cli))
    return [...findings, ...(await askService(cli, options, profile.url))]
  } finally {
    await tidyUp(cli, patient)
  }
}

function teller(cli: Cli) {
  const { note, item, isJson, isWatched } = cli.output()
  let isLineOpen = false
  return {
    begins: ({ what }: Check) => {
      note(`… ${what}`)
      isLineOpen = isWatched
    },
    found: (finding: Finding) => {
      if (isLineOpen) eraseLine()
      isLineOpen = false
      if (!isJson) item(finding, (look) => drawFinding(finding, look))
    },
  }
}

/** At a terminal, what was looked at gives way to what was found. */
function eraseLine(): void {
  moveCursor(process.stderr, 0, -1)
  clearLine(process.stderr, 0)
}

async function askService(cli: Cli, { operations }: Options, apiUrl: string): Promise<Finding[]> {
  const examined = await askOperations(operations, apiUrl, cli.interrupted)
  for (const { url, findings } of examined) {
    cli.output().note(`What ${url} says of itself:`)
    for (const finding of findings) teller(cli).found(finding)
  }
  return examined.flatMap(({ url, findings }) =>
    findings.map((finding) => ({ ...finding, seen_by: url })),
  )
}

/** Also after Ctrl-C, so it must not be what that breaks off. */
async function tidyUp({ environment, output }: Cli, { made }: Patient): Promise<void> {
  if (made.length === 0) return
  const left = await deleteTrials(await connect({ environment }), made)
  if (left.length > 0)
    output().note(
      `Could not be deleted again: ${left.join(', ')}. Do it by hand: reelkeep assets delete`,
    )
}
