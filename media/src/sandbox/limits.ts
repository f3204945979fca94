import { totalmem } from 'node:os'

/** Limits of one run. The kernel enforces them, except wall-clock time and output, which this process watches. */
export type Limits = {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  /** Memory that each process may allocate. A run gets less if the container has less: see `availableMemory`. */
  readonly memoryBytes: number
  /** Maximum size of each file that the program writes. */
  readonly fileBytes: number
  /** Maximum size of all files that the program adds to its output directory. */
  readonly writtenBytes: number
  readonly openFiles: number
  /**
   * Maximum number of processes and threads. The kernel counts those of this sandbox alone only if the worker
   * does not run as root: see README.md.
   */
  readonly processes: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
}

/** Share of the memory of the machine or container that a run may allocate. The rest is for the worker itself. */
const MEMORY_SHARE = 0.75

export type Memory = {
  /** Limit of the cgroup (version 1 or 2); 0 or a huge number without a limit. */
  readonly cgroupBytes: number
  readonly machineBytes: number
}

/** Memory limit of a probe, which every worker must be able to grant. */
export const PROBE_MEMORY_BYTES = 768 * 2 ** 20

const memoryOfProcess = (): Memory => ({ cgroupBytes: process.constrainedMemory(), machineBytes: totalmem() })

/**
 * Memory that one run may allocate. Without this limit, one run could exceed the memory of its container, and the
 * kernel would kill the container with all other jobs of the worker.
 */
export const availableMemory = (memory?: Memory): number => Math.floor(totalMemory(memory) * MEMORY_SHARE)

const totalMemory = ({ cgroupBytes, machineBytes }: Memory = memoryOfProcess()) =>
  cgroupBytes > 0 ? Math.min(cgroupBytes, machineBytes) : machineBytes

/** Refuses a worker that could not even probe every valid video. */
export function assertMemory(): void {
  if (availableMemory() >= PROBE_MEMORY_BYTES) return
  throw new Error(
    `This worker has ${toMebibytes(totalMemory())} MiB of memory. Give it at least ${toMebibytes(PROBE_MEMORY_BYTES / MEMORY_SHARE)} MiB (the memory limit of its container or machine).`,
  )
}

/** The message for a program that needed more memory than its worker has. */
export const workerMemoryMessage = (program: string, bytes: number) =>
  `${program} needs more memory than this worker can give it (${toMebibytes(bytes)} MiB, three quarters of its memory)`

const toMebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20)
