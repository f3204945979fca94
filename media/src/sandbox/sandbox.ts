import { access, constants } from 'node:fs/promises'
import { basename } from 'node:path'
import { cpuSecondsOf, type Ending, endingOf } from './ending.ts'
import type { Limits } from './limits.ts'
import { findStrangeEntry } from './made-entries.ts'
import { packager } from './packager.ts'
import { type Collected, runCommand } from './process.ts'
import {
  bareArguments,
  bubblewrap,
  bubblewrapArguments,
  setpriv,
  socat,
} from './sandbox-arguments.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'
import { seccompFilter } from './seccomp.ts'
import { type Architecture, findArchitecture } from './system-calls.ts'
import type { Task } from './task.ts'
import { removeAbandonedDirectories } from './temporary-directories.ts'

/** `none`: the operator has isolated the whole worker by other means. */
export type SandboxMode = 'bubblewrap' | 'none'

/** That the mode works on this machine; to be had from `openSandbox` alone. */
export type Sandbox = {
  readonly mode: SandboxMode
  /** Such as "5.1.9-0+deb12u1". */
  readonly ffmpegVersion: string
  readonly watch?: Watch
}

/** Does something around each run of a program, such as taking its time; it must answer what the run does. */
export type Watch = (program: string, run: () => Promise<Run>) => Promise<Run>

export const ffprobe = '/usr/bin/ffprobe'
export const ffmpeg = '/usr/bin/ffmpeg'

export type Run = {
  readonly ending: Ending
  readonly stdout: Buffer
  readonly stderr: string
  readonly wallSeconds: number
  /** Unknown if it was stopped. */
  readonly cpuSeconds: number | undefined
}

/** Runs one program. It resolves however that ends, and only when nothing of it is left. */
export function runInSandbox(
  { mode, watch = (_, run) => run() }: Pick<Sandbox, 'mode' | 'watch'>,
  task: Task,
  signal: AbortSignal,
): Promise<Run> {
  return watch(basename(task.program), () => runTask(mode, task, signal))
}

async function runTask(mode: SandboxMode, task: Task, signal: AbortSignal): Promise<Run> {
  const { wallSeconds, stdoutBytes, stderrBytes, cpuSeconds } = task.limits
  const { onStdout } = task
  const watch = { wallSeconds, stdoutBytes, stderrBytes, signal, ...(onStdout ? { onStdout } : {}) }
  const run = runOf(await runCommand(commandOf(mode, task), watch), cpuSeconds)
  return task.outputDirectory === undefined ? run : lookedThrough(run, task.outputDirectory)
}

/** Nobody looks at the output of one that did not come to its end. */
async function lookedThrough(run: Run, outputDirectory: string): Promise<Run> {
  if (run.ending.kind !== 'exited') return run
  const what = await findStrangeEntry(outputDirectory)
  return what === undefined ? run : { ...run, ending: { kind: 'strange-output', what } }
}

function commandOf(mode: SandboxMode, task: Task) {
  if (mode === 'none') return { program: setpriv, arguments: bareArguments(task) }
  const hasRelay = task.input.kind === 'relay'
  const seccomp = seccompFilter(requireArchitecture(), { hasRelay })
  return { program: bubblewrap, arguments: bubblewrapArguments(task), seccomp, hasRelay }
}

const runOf = (collected: Collected, cpuSecondsMax: number): Run => ({
  ending: endingOf(collected, cpuSecondsMax),
  stdout: collected.stdout,
  stderr: collected.stderr.toString('utf8'),
  wallSeconds: collected.wallSeconds,
  cpuSeconds: cpuSecondsOf(collected.report),
})

function requireArchitecture(): Architecture {
  const found = findArchitecture(process.arch)
  if (found) return found
  throw new SandboxUnavailable(
    `no list of system calls to forbid is kept for ${process.arch}, only for x64 and arm64`,
  )
}

/** Enough to say a version. */
const versionLimits: Limits = {
  wallSeconds: 20,
  cpuSeconds: 5,
  memoryBytes: 2 ** 30,
  fileBytes: 0,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 65_536,
  stderrBytes: 65_536,
}

/**
 * Sees once that everything is there and works, so that a worker does not find out with each video;
 * and tidies up after those that were killed.
 */
export async function openSandbox({
  mode,
  watch,
}: {
  readonly mode: SandboxMode
  readonly watch?: Watch
}): Promise<Sandbox> {
  if (mode === 'bubblewrap') requireArchitecture()
  const needed =
    mode === 'bubblewrap' ? [bubblewrap, socat, ffprobe, ffmpeg] : [setpriv, ffprobe, ffmpeg]
  for (const program of [...needed, packager()]) await assertInstalled(program)
  const task: Task = {
    program: ffprobe,
    arguments: ['-version'],
    input: { kind: 'none' },
    limits: versionLimits,
  }
  const run = await runInSandbox({ mode }, task, new AbortController().signal)
  const version = /^ffprobe version (\S+)/.exec(run.stdout.toString('utf8'))?.[1]
  if (version === undefined) throw new SandboxUnavailable(whyNot(run))
  await removeAbandonedDirectories()
  return { mode, ffmpegVersion: version, ...(watch && { watch }) }
}

async function assertInstalled(program: string): Promise<void> {
  try {
    await access(program, constants.X_OK)
  } catch {
    throw new SandboxUnavailable(`${program} is not installed`)
  }
}

const whyNot = ({ ending, stderr }: Run) =>
  ending.kind === 'not-started' ? ending.reason : `ffprobe told no version: ${stderr.slice(0, 200)}`
