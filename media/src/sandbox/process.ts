/**
 * The only file that starts processes. It collects the output, kills the process when a limit is reached or the
 * run is aborted, and returns the result as plain data, which exit-status.ts interprets.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { descriptors } from './sandbox-arguments.ts'

export type Command = {
  readonly program: string
  readonly arguments: readonly string[]
  /** The seccomp filter, written to a separate file descriptor. */
  readonly seccomp?: Buffer
  /** True if the supervisor inside the sandbox waits for a line, which is sent when the relay is listening. */
  readonly hasRelay?: boolean
}

export type RunOptions = {
  readonly wallSeconds: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly signal: AbortSignal
  /** Receives stdout while the program runs; the result then contains no stdout. */
  readonly onStdout?: (chunk: Buffer) => void
  /** Returns whether the files that the program has written exceed their limit. Called repeatedly. */
  readonly hasWrittenTooMuch?: () => Promise<boolean>
}

type StopReason = 'aborted' | 'time' | 'output' | 'file' | 'relay'

export type ProcessResult = {
  /** Why the process could not be started. */
  readonly startError: Error | undefined
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  /** Why we killed the process; undefined if we did not. */
  readonly stopped: StopReason | undefined
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Output of the supervisor inside the sandbox. */
  readonly report: string
  readonly wallSeconds: number
}

/** Maximum size of the supervisor's report, which has only a few lines. */
const REPORT_BYTES_MAX = 1024

/** Interval of the checks of written files. A program can exceed the limit by what it writes in this time. */
const WRITTEN_CHECK_SECONDS = 0.5

/** Maximum of the time limit: setTimeout supports delays of less than 2^31 ms. */
const WALL_SECONDS_MAX = 2_000_000

/** Resolves when the process has ended and all of its output pipes are closed. Never rejects. */
export function runCommand(command: Command, options: RunOptions): Promise<ProcessResult> {
  const startedAt = performance.now()
  // Starts the process in a separate process group, so that the whole group can be killed.
  const child = spawn(command.program, command.arguments, {
    detached: true,
    env: {},
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', ...extraDescriptors(command)],
  })
  // The supervisor inside the sandbox kills all processes when this pipe closes, so that none survives this worker.
  const keepAlive = (extraStream(child, descriptors.keepAlive) as Writable | null)?.on('error', ignore)
  let stopped: StopReason | undefined
  const stop = (reason: StopReason) => {
    stopped ??= reason
    killGroup(child)
    keepAlive?.destroy()
  }
  const stdout = collect(child.stdout, options.stdoutBytes, () => stop('output'), options.onStdout)
  const stderr = collect(child.stderr, options.stderrBytes, () => stop('output'))
  const report = collect(extraStream(child, descriptors.report), REPORT_BYTES_MAX, () => stop('output'))
  if (command.seccomp) writeAll(extraStream(child, descriptors.seccomp), command.seccomp)
  if (command.hasRelay) releaseWhenListening(child, () => stop('relay'))
  const timer = setTimeout(() => stop('time'), Math.min(options.wallSeconds, WALL_SECONDS_MAX) * 1000)
  const stopWatching = watchFiles(options.hasWrittenTooMuch, () => stop('file'))
  const onAbort = () => stop('aborted')
  options.signal.addEventListener('abort', onAbort)
  if (options.signal.aborted) onAbort()

  return new Promise((resolve) => {
    let startError: Error | undefined
    child.on('exit', () => keepAlive?.destroy())
    const end = (code: number | null, killedBy: NodeJS.Signals | null) => {
      clearTimeout(timer)
      stopWatching()
      options.signal.removeEventListener('abort', onAbort)
      resolve({
        ...{ startError, code, killedBy, stopped },
        ...{ stdout: stdout(), stderr: stderr(), report: report().toString('latin1') },
        wallSeconds: (performance.now() - startedAt) / 1000,
      })
    }
    child.on('close', end).on('error', (error) => {
      startError = error
      // A process that was never started does not always emit `close`.
      if (child.pid === undefined) end(null, null)
    })
  })
}

const extraDescriptors = ({ seccomp, hasRelay }: Command) => {
  return [seccomp ? 'pipe' : 'ignore', hasRelay ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
}

/** Calls `onExceeded` once if `isExceeded` returns true. Returns a function that ends the checks. */
function watchFiles(isExceeded: RunOptions['hasWrittenTooMuch'], onExceeded: () => void): () => void {
  if (!isExceeded) return () => undefined
  let timer: NodeJS.Timeout
  let isEnded = false
  const check = async () => {
    if (await isExceeded()) onExceeded()
    else if (!isEnded) scheduleCheck()
  }
  const scheduleCheck = () => {
    timer = setTimeout(() => void check(), WRITTEN_CHECK_SECONDS * 1000)
  }
  scheduleCheck()
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}

/**
 * If this process has no file descriptors left, `child.stdio` is undefined, contrary to its type;
 * an `error` event follows.
 */
const extraStream = (child: ChildProcess, descriptor: number) =>
  (child.stdio as ChildProcess['stdio'] | undefined)?.[descriptor] ?? null

/** Kills bubblewrap, the first process of the sandbox; all processes inside end with it. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Killing the process fails if it has already ended.
  }
}

/** Collects a stream, or passes it to `onChunk`, and calls `onLimit` once when the stream exceeds the limit. */
function collect(
  stream: Writable | Readable | null,
  bytesMax: number,
  onLimit: () => void,
  onChunk?: (chunk: Buffer) => void,
) {
  const chunks: Buffer[] = []
  const accept = onChunk ?? ((chunk: Buffer) => chunks.push(chunk))
  let bytes = 0
  ;(stream as Readable | null)?.on('error', ignore).on('data', (chunk: Buffer) => {
    if (bytes > bytesMax) return
    bytes += chunk.length
    if (bytes > bytesMax) onLimit()
    else accept(chunk)
  })
  return () => Buffer.concat(chunks)
}

function writeAll(stream: Writable | Readable | null, bytes: Buffer): void {
  ;(stream as Writable | null)?.on('error', ignore).end(bytes)
}

/** Starts the program when socat logs that it is listening, and keeps draining its log. */
function releaseWhenListening(child: ChildProcess, onFailure: () => void): void {
  const log = extraStream(child, descriptors.relayLog) as Readable | null
  const keepAlive = extraStream(child, descriptors.keepAlive) as Writable | null
  let logged = ''
  let isListening = false
  log?.on('error', ignore).on('data', (chunk: Buffer) => {
    if (isListening) return
    logged = (logged + chunk.toString('latin1')).slice(-REPORT_BYTES_MAX)
    isListening = logged.includes(' listening on ')
    if (isListening) keepAlive?.write('go\n')
  })
  log?.on('end', () => {
    if (!isListening) onFailure()
  })
}

/** Ignores errors of a pipe to a process that has ended; its exit is reported separately. */
const ignore = () => undefined
