/** Checks that the installed programs support the features we use, by running them in the sandbox. */
import type { Limits } from '../sandbox/limits.ts'
import { packager } from '../sandbox/packager.ts'
import { ffmpeg, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { parseFeatureNames } from './feature-list.ts'
import { type FeatureKind, featureKinds, requiredFeatures } from './required-features.ts'

export type MissingFeature = { readonly kind: FeatureKind; readonly name: string }

/** Limits that are sufficient for printing a list. */
const listLimits: Limits = {
  wallSeconds: 20,
  cpuSeconds: 5,
  memoryBytes: 2 ** 30,
  fileBytes: 0,
  writtenBytes: 0,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 2 ** 20,
  stderrBytes: 65_536,
}

/** Returns the required features that this ffmpeg build lacks. */
export async function missingFeatures(sandbox: Pick<Sandbox, 'mode'>, signal: AbortSignal): Promise<MissingFeature[]> {
  const missing: MissingFeature[] = []
  for (const kind of featureKinds) {
    const { stdout } = await runOrThrow(sandbox, ffmpeg, ['-hide_banner', `-${kind}`], signal)
    const names = parseFeatureNames(kind, stdout.toString('utf8'))
    missing.push(...requiredFeatures[kind].filter((name) => !names.has(name)).map((name) => ({ kind, name })))
  }
  return missing
}

/** Returns the version of the packager, for example "3.4.2". Throws if the packager does not run. */
export async function packagerVersion(sandbox: Pick<Sandbox, 'mode'>, signal: AbortSignal): Promise<string> {
  const { stdout } = await runOrThrow(sandbox, packager(), ['--version'], signal)
  return /version v?(\S+)/.exec(stdout.toString('utf8'))?.[1] ?? 'unknown'
}

async function runOrThrow(
  sandbox: Pick<Sandbox, 'mode'>,
  program: string,
  given: readonly string[],
  signal: AbortSignal,
): Promise<Run> {
  const task = { program, arguments: given, input: { kind: 'none' }, limits: listLimits } as const
  const run = await runInSandbox(sandbox, task, signal)
  if (run.exitStatus.kind === 'exited' && run.exitStatus.code === 0) return run
  throw new Error(
    `${program} ${given.join(' ')} failed (${JSON.stringify(run.exitStatus)}): ${run.stderr.trim().slice(-300)}`,
  )
}
