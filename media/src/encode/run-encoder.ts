import type { Part, Plan } from '../plan/plan.ts'
import type { Container } from '../probe/container/container.ts'
import { ffmpeg, type Run, runInSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { OpenedSource } from '../source/opened-source.ts'
import { encodeArguments } from './arguments/encode-arguments.ts'
import { encodeLimits } from './part-limits.ts'
import { progressReader, type SegmentCounts } from './progress.ts'
import { outputPath } from './sandbox-paths.ts'

export type EncodeTask = {
  readonly plan: Plan
  readonly part: Part
  readonly source: OpenedSource
  readonly container: Container
  readonly directory: string
  readonly signal: AbortSignal
  readonly onProgress: (made: SegmentCounts) => void
}

/** Encodes a part with ffmpeg, which writes one file per track to `task.directory`. */
export function runEncoder(sandbox: Sandbox, task: EncodeTask): Promise<Run> {
  const { plan, part, source, container, directory } = task
  const { address, protocols, input } = source
  return runInSandbox(
    sandbox,
    {
      program: ffmpeg,
      arguments: encodeArguments({
        ...{ plan, part },
        input: { address, protocols, container },
        directory: outputPath(sandbox, directory),
      }),
      input,
      outputDirectory: directory,
      limits: encodeLimits(plan, part),
      onStdout: progressReader(plan, part, task.onProgress),
    },
    task.signal,
  )
}
