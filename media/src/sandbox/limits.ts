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
  /** Limit of the cgroup (version 1 or 2); 0 or a huge number if there is none. */
  readonly cgroupBytes: number
  readonly machineBytes: number
}

const memoryOfProcess = (): Memory => ({ cgroupBytes: process.constrainedMemory(), machineBytes: totalmem() })

/**
 * Memory that one run may allocate. Without this limit, one run could exceed the memory of its container, and the
 * kernel would kill the container with all other jobs of the worker.
 */
export function availableMemory({ cgroupBytes, machineBytes }: Memory = memoryOfProcess()): number {
  const bytes = cgroupBytes > 0 ? Math.min(cgroupBytes, machineBytes) : machineBytes
  return Math.floor(bytes * MEMORY_SHARE)
}
