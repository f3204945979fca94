/** Interprets how a process ended. Pure. */
import type { ProcessResult } from './process.ts'

export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  /** The process reached a limit of its task; a retry would reach it again. */
  | { readonly kind: 'limit'; readonly limit: 'time' | 'cpu' | 'memory' | 'output' | 'file' }
  /**
   * The program needed more memory than the worker has, which is less than its task may use. A worker with more
   * memory may succeed. `bytes`: what the program could allocate.
   */
  | { readonly kind: 'worker-memory'; readonly bytes: number }
  /** The program crashed: its input triggers a bug. */
  | { readonly kind: 'crashed'; readonly signal: string }
  /** The output contains something other than files and directories: the input has taken control of the program. */
  | { readonly kind: 'invalid-output'; readonly reason: string }
  /** Stopped by the abort signal. */
  | { readonly kind: 'aborted' }
  /**
   * Killed by something else: an operator, the kernel's OOM killer or our system call filter. Says
   * nothing about the input.
   */
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly reason: string }

/** Shells and bubblewrap report death by a signal as 128 plus the signal's number. */
const SIGNAL_CODE_OFFSET = 128

const signals: Readonly<Record<number, string>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
}
/**
 * Signals of a crash. SIGSYS is not one of them: it comes from our system call filter, and a new library release
 * may trigger it with any file.
 */
const crashes = ['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV']

/**
 * FFmpeg catches SIGXCPU and exits with one of these codes; otherwise the process is killed two seconds later.
 * Both cases count as the CPU limit only if at least half of the allowed CPU time was used: under load, the CPU
 * time that the kernel compares with the limit is less precise than the one it reports.
 */
const CPU_SIGNAL_EXIT_CODES = [123, 255]
const CPU_LIMIT_SHARE = 0.5

/** Error messages of FFmpeg, C++ and the dynamic linker after a failed allocation. */
const outOfMemory = /Cannot allocate memory|std::bad_alloc|failed to map segment|Out of memory/

/** Exit codes of the shell or prlimit if the program could not be executed. */
const CANNOT_EXECUTE = [125, 126, 127]

export type StatusLimits = {
  readonly cpuSeconds: number
  /** Memory limit of the run if it is that of the worker; undefined if it is that of the task. */
  readonly workerMemoryBytes: number | undefined
}

export function exitStatusOf(collected: ProcessResult, { cpuSeconds, workerMemoryBytes }: StatusLimits): ExitStatus {
  const status = statusOfTask(collected, cpuSeconds)
  const isMemory = status.kind === 'limit' && status.limit === 'memory'
  return isMemory && workerMemoryBytes !== undefined ? { kind: 'worker-memory', bytes: workerMemoryBytes } : status
}

function statusOfTask(collected: ProcessResult, cpuSecondsMax: number): ExitStatus {
  const { startError, stopped, stderr, report } = collected
  if (startError) return { kind: 'not-started', reason: startError.message }
  if (stopped === 'aborted') return { kind: 'aborted' }
  if (stopped === 'relay') return { kind: 'not-started', reason: `The relay ended. ${stderrTail(stderr)}` }
  if (stopped) return { kind: 'limit', limit: stopped }
  if (!report.startsWith('started')) return statusIfNotStarted(collected)
  const { code, signal } = codeAndSignal(collected)
  if (signal === 'SIGXCPU') return { kind: 'limit', limit: 'cpu' }
  if (signal === 'SIGXFSZ') return { kind: 'limit', limit: 'file' }
  if (signal === 'SIGKILL') return statusIfKilled(collected, cpuSecondsMax)
  if (signal && outOfMemory.test(stderr.toString('latin1'))) return { kind: 'limit', limit: 'memory' }
  if (signal) return { kind: crashes.includes(signal) ? 'crashed' : 'killed', signal }
  return statusIfExited(code, collected, cpuSecondsMax)
}

/** Exit status if the supervisor inside the sandbox reported nothing; stderr is then that of bubblewrap. */
const statusIfNotStarted = ({ killedBy, stderr }: ProcessResult): ExitStatus =>
  killedBy ? { kind: 'killed', signal: killedBy } : { kind: 'not-started', reason: stderrTail(stderr) }

function statusIfKilled(collected: ProcessResult, cpuSecondsMax: number): ExitStatus {
  if (isNearCpuLimit(collected, cpuSecondsMax)) return { kind: 'limit', limit: 'cpu' }
  return { kind: 'killed', signal: 'SIGKILL' }
}

const isNearCpuLimit = ({ report }: ProcessResult, cpuSecondsMax: number) =>
  (cpuSecondsOf(report) ?? 0) >= cpuSecondsMax * CPU_LIMIT_SHARE

function statusIfExited(code: number, collected: ProcessResult, cpuSecondsMax: number): ExitStatus {
  const { stderr } = collected
  if (CPU_SIGNAL_EXIT_CODES.includes(code) && isNearCpuLimit(collected, cpuSecondsMax)) {
    return { kind: 'limit', limit: 'cpu' }
  }
  if (CANNOT_EXECUTE.includes(code)) return { kind: 'not-started', reason: stderrTail(stderr) }
  // FFmpeg may exit with 0 after a failed allocation.
  if (outOfMemory.test(stderr.toString('latin1'))) return { kind: 'limit', limit: 'memory' }
  return { kind: 'exited', code }
}

function codeAndSignal({ code, killedBy }: ProcessResult): { code: number; signal?: string } {
  if (killedBy) return { code: 0, signal: killedBy }
  const exitCode = code ?? 0
  const signal = signals[exitCode - SIGNAL_CODE_OFFSET]
  return signal === undefined ? { code: exitCode } : { code: exitCode, signal }
}

/** Parses the output of the shell's `times`: the second line has user and system time of the children. */
export function cpuSecondsOf(report: string): number | undefined {
  const children = report.trim().split('\n').at(-1) ?? ''
  const match = /^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/.exec(children)
  if (!match) return undefined
  const [userMinutes = 0, userSeconds = 0, systemMinutes = 0, systemSeconds = 0] = match.slice(1).map(Number)
  return userMinutes * 60 + userSeconds + systemMinutes * 60 + systemSeconds
}

const STDERR_TAIL_MAX = 300
const stderrTail = (stderr: Buffer) => stderr.toString('utf8').trim().slice(-STDERR_TAIL_MAX)
