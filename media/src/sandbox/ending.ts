/** What the end of a process means: pure. */
import type { Collected } from './process.ts'

export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  /** It reached a limit of its task, and would again. */
  | { readonly kind: 'limit'; readonly limit: 'time' | 'cpu' | 'memory' | 'output' | 'file' }
  /** It brought itself down: a fault of the program that its input provokes. */
  | { readonly kind: 'crashed'; readonly signal: string }
  /** It left what is neither a file nor a directory, which no program of ours does: its input has taken it over. */
  | { readonly kind: 'strange-output'; readonly what: string }
  /** We were asked to. */
  | { readonly kind: 'aborted' }
  /**
   * By somebody else: an operator, the kernel for want of memory, our own filter of system calls.
   * It says nothing about the input.
   */
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly reason: string }

/** What a shell, and bubblewrap, make of a death by signal. */
const SIGNALLED_CODE = 128

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
/** Not SIGSYS: that is our filter, which a new release of a library may run into with any file. */
const crashes = ['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV']

/**
 * FFmpeg catches the signal for too much processor time and exits with one of these; what it does
 * not heed becomes a kill. Both are a limit only if much of the time was used. Not all of it: under
 * load the kernel limits by a coarser count than it reports.
 */
const SIGNALLED_EXITS = [123, 255]
const MUCH = 0.5

/** How a failed allocation shows, by the way it fails: FFmpeg's words, C++'s, the linker's. */
const outOfMemory = /Cannot allocate memory|std::bad_alloc|failed to map segment|Out of memory/

/** Found by the shell or prlimit, before the program ran. */
const CANNOT_EXECUTE = [125, 126, 127]

export function endingOf(collected: Collected, cpuSecondsMax: number): Ending {
  const { startError, stopped, stderr, report } = collected
  if (startError) return { kind: 'not-started', reason: startError.message }
  if (stopped === 'aborted') return { kind: 'aborted' }
  if (stopped === 'relay')
    return { kind: 'not-started', reason: `The relay ended. ${lastWords(stderr)}` }
  if (stopped) return { kind: 'limit', limit: stopped }
  if (!report.startsWith('started')) return endOfUnstarted(collected)
  const { code, signal } = exitOf(collected)
  if (signal === 'SIGXCPU') return { kind: 'limit', limit: 'cpu' }
  if (signal === 'SIGXFSZ') return { kind: 'limit', limit: 'file' }
  if (signal === 'SIGKILL') return endOfKilled(collected, cpuSecondsMax)
  if (signal && outOfMemory.test(stderr.toString('latin1')))
    return { kind: 'limit', limit: 'memory' }
  if (signal) return { kind: crashes.includes(signal) ? 'crashed' : 'killed', signal }
  return endOfExited(code, collected, cpuSecondsMax)
}

/** The supervisor inside never spoke: what is on stderr is bubblewrap's. */
const endOfUnstarted = ({ killedBy, stderr }: Collected): Ending =>
  killedBy
    ? { kind: 'killed', signal: killedBy }
    : { kind: 'not-started', reason: lastWords(stderr) }

function endOfKilled(collected: Collected, cpuSecondsMax: number): Ending {
  if (hasUsedMuch(collected, cpuSecondsMax)) return { kind: 'limit', limit: 'cpu' }
  return { kind: 'killed', signal: 'SIGKILL' }
}

const hasUsedMuch = ({ report }: Collected, cpuSecondsMax: number) =>
  (cpuSecondsOf(report) ?? 0) >= cpuSecondsMax * MUCH

function endOfExited(code: number, collected: Collected, cpuSecondsMax: number): Ending {
  const { stderr } = collected
  if (SIGNALLED_EXITS.includes(code) && hasUsedMuch(collected, cpuSecondsMax)) {
    return { kind: 'limit', limit: 'cpu' }
  }
  if (CANNOT_EXECUTE.includes(code)) return { kind: 'not-started', reason: lastWords(stderr) }
  // FFmpeg may well exit with 0 after it.
  if (outOfMemory.test(stderr.toString('latin1'))) return { kind: 'limit', limit: 'memory' }
  return { kind: 'exited', code }
}

function exitOf({ code, killedBy }: Collected): { code: number; signal?: string } {
  if (killedBy) return { code: 0, signal: killedBy }
  const exitCode = code ?? 0
  const signal = signals[exitCode - SIGNALLED_CODE]
  return signal === undefined ? { code: exitCode } : { code: exitCode, signal }
}

/** From the shell's `times`: its own on one line, those of its children on the next, user and system each. */
export function cpuSecondsOf(report: string): number | undefined {
  const children = report.trim().split('\n').at(-1) ?? ''
  const match = /^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/.exec(children)
  if (!match) return undefined
  const [userMinutes = 0, userSeconds = 0, systemMinutes = 0, systemSeconds = 0] = match
    .slice(1)
    .map(Number)
  return userMinutes * 60 + userSeconds + systemMinutes * 60 + systemSeconds
}

const LAST_WORDS_MAX = 300
const lastWords = (stderr: Buffer) => stderr.toString('utf8').trim().slice(-LAST_WORDS_MAX)
