import { access, constants } from 'node:fs/promises'
import { basename } from 'node:path'
import { assertDiskWorked } from '../scratch/disk-errors.ts'
import { removeAbandonedDirectories } from '../scratch/temporary-directories.ts'
import { cpuSecondsOf, type ExitStatus, exitStatusOf, type StatusLimits } from './exit-status.ts'
import { assertMemory, availableMemory, type Limits } from './limits.ts'
import { inspectOutput } from './output-entries.ts'
import { packager } from './packager.ts'
import { type ProcessResult, type RunOptions, runCommand } from './process.ts'
import { bareArguments, bubblewrap, bubblewrapArguments, setpriv, socat } from './sandbox-arguments.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'
import { seccompFilter } from './seccomp.ts'
import { type Architecture, findArchitecture } from './system-calls.ts'
import type { Task } from './task.ts'

/** `none`: the operator isolates the whole worker by other means. */
export type SandboxMode = 'bubblewrap' | 'none'

/** A sandbox mode that works on this machine; only `openSandbox` returns this type, after checking the mode. */
export type Sandbox = {
  readonly mode: SandboxMode
  /** Version of ffmpeg, for example "5.1.9-0+deb12u1". */
  readonly ffmpegVersion: string
  readonly observe?: RunObserver
}

/** Wraps each run of a program, for example to measure it. Must return the run's result. */
export type RunObserver = (program: string, run: () => Promise<Run>) => Promise<Run>

export const ffprobe = '/usr/bin/ffprobe'
export const ffmpeg = '/usr/bin/ffmpeg'

export type Run = {
  readonly exitStatus: ExitStatus
  readonly stdout: Buffer
  readonly stderr: string
  readonly wallSeconds: number
  /** CPU time; undefined if the run was stopped. */
  readonly cpuSeconds: number | undefined
}

/**
 * Runs one program. Resolves after all of its processes have ended, whatever their exit status. @throws DiskFailed if
 * the program failed because the worker's disk is full or broken
 */
export function runInSandbox(
  { mode, observe = (_, run) => run() }: Pick<Sandbox, 'mode' | 'observe'>,
  task: Task,
  signal: AbortSignal,
): Promise<Run> {
  return observe(basename(task.program), () => runTask(mode, task, signal))
}

async function runTask(mode: SandboxMode, given: Task, signal: AbortSignal): Promise<Run> {
  const available = availableMemory()
  const workerMemoryBytes = available < given.limits.memoryBytes ? available : undefined
  const memoryBytes = workerMemoryBytes ?? given.limits.memoryBytes
  const task = { ...given, limits: { ...given.limits, memoryBytes } }
  const { wallSeconds, stdoutBytes, stderrBytes, cpuSeconds, writtenBytes } = task.limits
  const { onStdout, outputDirectory } = task
  const watch = { wallSeconds, stdoutBytes, stderrBytes, signal, ...(onStdout ? { onStdout } : {}) }
  const runWith = async (options: RunOptions) =>
    toRun(await runCommand(commandOf(mode, task), options), { cpuSeconds, workerMemoryBytes })
  if (outputDirectory === undefined) return runWith(watch)
  const before = await inspectOutput(outputDirectory)
  const bytesMax = before.bytes + writtenBytes
  const hasWrittenTooMuch = async () => (await inspectOutput(outputDirectory)).bytes > bytesMax
  const run = await checkOutput(await runWith({ ...watch, hasWrittenTooMuch }), outputDirectory, bytesMax)
  if (mayBeDiskFailure(run)) await assertDiskWorked(run.stderr, outputDirectory)
  return run
}

/** Statuses that a failing disk can cause: an error, a truncated file, or a crash while writing mapped memory. */
const causedByDisk: readonly ExitStatus['kind'][] = ['exited', 'crashed', 'invalid-output', 'not-started']

// FFmpeg may exit with 0 after it failed to write the end of a file.
const mayBeDiskFailure = ({ exitStatus, stderr }: Run) =>
  causedByDisk.includes(exitStatus.kind) &&
  (exitStatus.kind !== 'exited' || exitStatus.code !== 0 || stderr.trim() !== '')

/** Checks the output of a program that exited or wrote too much. No other output is used. */
async function checkOutput(run: Run, outputDirectory: string, bytesMax: number): Promise<Run> {
  const { exitStatus } = run
  if (exitStatus.kind !== 'exited' && !isFileLimit(exitStatus)) return run
  const { bytes, invalid } = await inspectOutput(outputDirectory)
  if (invalid !== undefined) return { ...run, exitStatus: { kind: 'invalid-output', reason: invalid } }
  return bytes > bytesMax ? { ...run, exitStatus: { kind: 'limit', limit: 'file' } } : run
}

const isFileLimit = (exitStatus: ExitStatus) => exitStatus.kind === 'limit' && exitStatus.limit === 'file'

function commandOf(mode: SandboxMode, task: Task) {
  if (mode === 'none') return { program: setpriv, arguments: bareArguments(task) }
  const hasRelay = task.input.kind === 'relay'
  const seccomp = seccompFilter(requireArchitecture(), { hasRelay })
  return { program: bubblewrap, arguments: bubblewrapArguments(task), seccomp, hasRelay }
}

const toRun = (collected: ProcessResult, limits: StatusLimits): Run => ({
  exitStatus: exitStatusOf(collected, limits),
  stdout: collected.stdout,
  stderr: collected.stderr.toString('utf8'),
  wallSeconds: collected.wallSeconds,
  cpuSeconds: cpuSecondsOf(collected.report),
})

function requireArchitecture(): Architecture {
  const found = findArchitecture(process.arch)
  if (found) return found
  throw new SandboxUnavailable(`the system call filter does not support ${process.arch}, only x64 and arm64`)
}

/** Limits that are sufficient for printing a version. */
const versionLimits: Limits = {
  wallSeconds: 20,
  cpuSeconds: 5,
  memoryBytes: 2 ** 30,
  fileBytes: 0,
  writtenBytes: 0,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 65_536,
  stderrBytes: 65_536,
}

/**
 * Checks once that all programs are installed and run in the sandbox, so that a worker fails at its
 * start and not with each video. Also removes directories that killed workers have left behind.
 */
export async function openSandbox({
  mode,
  observe,
}: {
  readonly mode: SandboxMode
  readonly observe?: RunObserver
}): Promise<Sandbox> {
  assertMemory()
  if (mode === 'bubblewrap') requireArchitecture()
  const needed = mode === 'bubblewrap' ? [bubblewrap, socat, ffprobe, ffmpeg] : [setpriv, ffprobe, ffmpeg]
  for (const program of [...needed, packager()]) await assertInstalled(program)
  const task: Task = {
    program: ffprobe,
    arguments: ['-version'],
    input: { kind: 'none' },
    limits: versionLimits,
  }
  const run = await runInSandbox({ mode }, task, new AbortController().signal)
  const version = /^ffprobe version (\S+)/.exec(run.stdout.toString('utf8'))?.[1]
  if (version === undefined) throw new SandboxUnavailable(failureReason(run))
  await removeAbandonedDirectories()
  return { mode, ffmpegVersion: version, ...(observe && { observe }) }
}

async function assertInstalled(program: string): Promise<void> {
  try {
    await access(program, constants.X_OK)
  } catch {
    throw new SandboxUnavailable(`${program} is not installed`)
  }
}

const failureReason = ({ exitStatus, stderr }: Run) =>
  exitStatus.kind === 'not-started' ? exitStatus.reason : `ffprobe printed no version: ${stderr.slice(0, 200)}`
