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
}

/** Makes segments of the files that encoding has left in the directory. */
export const packageTracks = (sandbox: Sandbox, task: PackageTask): Promise<Run> =>
  runInSandbox(
    sandbox,
    {
      program: packager(),
      arguments: packageArguments(task.plan, task.part, seenFromInside(sandbox, task.directory)),
      input: { kind: 'none' },
      outputDirectory: task.directory,
      limits: packageLimits(task.plan, task.part),
    },
    task.signal,
  )
