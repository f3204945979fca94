/**
 * Whether the programs of this machine can do what we ask of them, seen by asking them, as they are
 * run for a video.
 */
import type { Limits } from '../sandbox/limits.ts'
import { packager } from '../sandbox/packager.ts'
import { ffmpeg, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { namesIn } from './ability-list.ts'
import { type AbilityKind, abilityKinds, neededAbilities } from './needed-abilities.ts'

export type MissingAbility = { readonly kind: AbilityKind; readonly name: string }

/** Enough to write a list. */
const listLimits: Limits = {
  wallSeconds: 20,
  cpuSeconds: 5,
  memoryBytes: 2 ** 30,
  fileBytes: 0,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 2 ** 20,
  stderrBytes: 65_536,
}

/** What this ffmpeg lacks. */
export async function missingAbilities(
  sandbox: Pick<Sandbox, 'mode'>,
  signal: AbortSignal,
): Promise<MissingAbility[]> {
  const missing: MissingAbility[] = []
  for (const kind of abilityKinds) {
    const { stdout } = await told(sandbox, ffmpeg, ['-hide_banner', `-${kind}`], signal)
    const names = namesIn(kind, stdout.toString('utf8'))
    missing.push(
      ...neededAbilities[kind].filter((name) => !names.has(name)).map((name) => ({ kind, name })),
    )
  }
  return missing
}

/** Such as "3.4.2"; fails if it does not run. */
export async function packagerVersion(
  sandbox: Pick<Sandbox, 'mode'>,
  signal: AbortSignal,
): Promise<string> {
  const { stdout } = await told(sandbox, packager(), ['--version'], signal)
  return /version v?(\S+)/.exec(stdout.toString('utf8'))?.[1] ?? 'of an unknown version'
}

async function told(
  sandbox: Pick<Sandbox, 'mode'>,
  program: string,
  given: readonly string[],
  signal: AbortSignal,
): Promise<Run> {
  const task = { program, arguments: given, input: { kind: 'none' }, limits: listLimits } as const
  const run = await runInSandbox(sandbox, task, signal)
  if (run.ending.kind === 'exited' && run.ending.code === 0) return run
  throw new Error(
    `${program} ${given.join(' ')} did not work (${JSON.stringify(run.ending)}): ${run.stderr.trim().slice(-300)}`,
  )
}
