/**
 * The one file that starts a process. It collects what comes out, stops it at the first reason to,
 * and reports everything as data: what it means is decided in ending.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { descriptors } from './sandbox-arguments.ts'

export type Command = {
  readonly program: string
  readonly arguments: readonly string[]
  /** Given to it on a descriptor of its own. */
  readonly seccomp?: Buffer
  /** It waits for a word from us, which it gets when its relay says that it listens. */
  readonly hasRelay?: boolean
}

/** What we watch ourselves. */
export type Watch = {
  readonly wallSeconds: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly signal: AbortSignal
  /** Gets what comes out instead of the end. */
  readonly onStdout?: (chunk: Buffer) => void
}

type StopReason = 'aborted' | 'time' | 'output' | 'relay'

export type Collected = {
  /** Why it never ran at all. */
  readonly startError: Error | undefined
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  /** Why we killed it, if we did. */
  readonly stopped: StopReason | undefined
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** What the supervisor inside said. */
  readonly report: string
  readonly wallSeconds: number
}

/** Two lines of times; more is not read. */
const REPORT_BYTES_MAX = 1024

/** setTimeout takes no more. */
const WALL_SECONDS_MAX = 2_000_000

/** Resolves when the process and all that holds its output have ended; it never rejects. */
export function runCommand(command: Command, watch: Watch): Promise<Collected> {
  const startedAt = performance.now()
  // A group of its own, which can be killed whole.
  const child = spawn(command.program, command.arguments, {
    detached: true,
    env: {},
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', ...extraDescriptors(command)],
  })
  // For as long as we hold it, the run is wanted; should we die, nobody does.
  const wanted = (extra(child, descriptors.wanted) as Writable | null)?.on('error', ignore)
  let stopped: StopReason | undefined
  const stop = (reason: StopReason) => {
    stopped ??= reason
    killGroup(child)
    wanted?.destroy()
  }
  const stdout = collect(child.stdout, watch.stdoutBytes, () => stop('output'), watch.onStdout)
  const stderr = collect(child.stderr, watch.stderrBytes, () => stop('output'))
  const report = collect(extra(child, descriptors.report), REPORT_BYTES_MAX, () => stop('output'))
  if (command.seccomp) feed(extra(child, descriptors.seccomp), command.seccomp)
  if (command.hasRelay) releaseWhenListening(child, () => stop('relay'))
  const timer = setTimeout(() => stop('time'), Math.min(watch.wallSeconds, WALL_SECONDS_MAX) * 1000)
  const abort = () => stop('aborted')
  watch.signal.addEventListener('abort', abort)
  if (watch.signal.aborted) abort()

  return new Promise((resolve) => {
    let startError: Error | undefined
    child.on('exit', () => wanted?.destroy())
    const end = (code: number | null, killedBy: NodeJS.Signals | null) => {
      clearTimeout(timer)
      watch.signal.removeEventListener('abort', abort)
      resolve({
        ...{ startError, code, killedBy, stopped },
        ...{ stdout: stdout(), stderr: stderr(), report: report().toString('latin1') },
        wallSeconds: (performance.now() - startedAt) / 1000,
      })
    }
    child.on('close', end).on('error', (error) => {
      startError = error
      // What never ran does not always close.
      if (child.pid === undefined) end(null, null)
    })
  })
}

const extraDescriptors = ({ seccomp, hasRelay }: Command) => {
  return [seccomp ? 'pipe' : 'ignore', hasRelay ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
}

/**
 * Without descriptors left to this process, a child comes without any, against its type; it says so
 * by an error event.
 */
const extra = (child: ChildProcess, descriptor: number) =>
  (child.stdio as ChildProcess['stdio'] | undefined)?.[descriptor] ?? null

/** The sandbox ends with its first process, and with it everything inside. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Keeps what comes, or hands it on, until it is too much, and tells so once. */
function collect(
  stream: Writable | Readable | null,
  bytesMax: number,
  tooMuch: () => void,
  handOn?: (chunk: Buffer) => void,
) {
  const chunks: Buffer[] = []
  const take = handOn ?? ((chunk: Buffer) => chunks.push(chunk))
  let bytes = 0
  ;(stream as Readable | null)?.on('error', ignore).on('data', (chunk: Buffer) => {
    if (bytes > bytesMax) return
    bytes += chunk.length
    if (bytes > bytesMax) tooMuch()
    else take(chunk)
  })
  return () => Buffer.concat(chunks)
}

function feed(stream: Writable | Readable | null, bytes: Buffer): void {
  ;(stream as Writable | null)?.on('error', ignore).end(bytes)
}

/** Lets the program start as soon as socat says that it listens, and goes on emptying what it writes. */
function releaseWhenListening(child: ChildProcess, failed: () => void): void {
  const log = extra(child, descriptors.relayLog) as Readable | null
  const wanted = extra(child, descriptors.wanted) as Writable | null
  let said = ''
  let isListening = false
  log?.on('error', ignore).on('data', (chunk: Buffer) => {
    if (isListening) return
    said = (said + chunk.toString('latin1')).slice(-REPORT_BYTES_MAX)
    isListening = said.includes(' listening on ')
    if (isListening) wanted?.write('go\n')
  })
  log?.on('end', () => {
    if (!isListening) failed()
  })
}

/** A broken pipe to something that ended says nothing that its end does not say. */
const ignore = () => undefined
