import { randomInt } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DRAWN_MAX } from '../encryption/counters.ts'
import { type Encryption, withoutKeys } from '../encryption/encryption.ts'
import { encryptionFlags, FLAGS_FILE } from '../encryption/packager-flags.ts'
import type { Part, Plan } from '../plan/plan.ts'
import { packager } from '../sandbox/packager.ts'
import { type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { packageArguments } from './package-arguments.ts'
import { packageLimits } from './part-limits.ts'
import { seenFromInside } from './seen-from-inside.ts'

export type PackageTask = {
  readonly plan: Plan
  readonly part: Part
  readonly directory: string
  readonly signal: AbortSignal
  /** In the clear without it. */
  readonly encryption?: Encryption | undefined
}

/** Makes segments of the files that encoding has left in the directory. */
export async function packageTracks(sandbox: Sandbox, task: PackageTask): Promise<Run> {
  const { encryption } = task
  if (!encryption) return run(sandbox, task)
  const keys = join(task.directory, FLAGS_FILE)
  try {
    const flags = encryptionFlags(encryption, task.plan, task.part, randomInt(DRAWN_MAX))
    await writeFile(keys, flags, { mode: 0o600, flag: 'wx' })
    const packaged = await run(sandbox, task)
    return { ...packaged, stderr: withoutKeys(encryption, packaged.stderr) }
  } finally {
    await rm(keys, { force: true })
  }
}

const run = (sandbox: Sandbox, { plan, part, directory, signal, encryption }: PackageTask) =>
  runInSandbox(
    sandbox,
    {
      program: packager(),
      arguments: packageArguments(
        plan,
        part,
        seenFromInside(sandbox, directory),
        encryption !== undefined,
      ),
      input: { kind: 'none' },
      outputDirectory: directory,
      limits: packageLimits(plan, part),
    },
    signal,
  )
