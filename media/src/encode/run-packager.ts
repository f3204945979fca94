import { randomInt } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RANDOM_MAX } from '../encryption/cenc-ivs.ts'
import { type Encryption, redactKeys } from '../encryption/encryption.ts'
import { encryptionFlags, FLAGS_FILE } from '../encryption/packager-flags.ts'
import type { Part, Plan } from '../plan/plan.ts'
import { packager } from '../sandbox/packager.ts'
import { type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { packageArguments } from './arguments/package-arguments.ts'
import { packageLimits } from './part-limits.ts'
import { outputPath } from './sandbox-paths.ts'

export type PackageTask = {
  readonly plan: Plan
  readonly part: Part
  readonly directory: string
  readonly signal: AbortSignal
  /** Keys for encrypting the output. If undefined, the output is not encrypted. */
  readonly encryption?: Encryption | undefined
}

/** Creates segments from the encoded files in `task.directory`. */
export async function runPackager(sandbox: Sandbox, task: PackageTask): Promise<Run> {
  const { encryption } = task
  if (!encryption) return runTask(sandbox, task)
  const flagsPath = join(task.directory, FLAGS_FILE)
  try {
    const flags = encryptionFlags(encryption, task.plan, task.part, randomInt(RANDOM_MAX))
    await writeFile(flagsPath, flags, { mode: 0o600, flag: 'wx' })
    const packaged = await runTask(sandbox, task)
    return { ...packaged, stderr: redactKeys(encryption, packaged.stderr) }
  } finally {
    await rm(flagsPath, { force: true })
  }
}

const runTask = (sandbox: Sandbox, { plan, part, directory, signal, encryption }: PackageTask) =>
  runInSandbox(
    sandbox,
    {
      program: packager(),
      arguments: packageArguments(plan, part, outputPath(sandbox, directory), encryption !== undefined),
      input: { kind: 'none' },
      outputDirectory: directory,
      limits: packageLimits(plan, part),
    },
    signal,
  )
