/** Limits of one run. The kernel enforces them, except wall-clock time and output, which this process watches. */
export type Limits = {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  /** Address space: memory that the program may map, not what it uses. */
  readonly memoryBytes: number
  /** Maximum size of each file that the program writes. */
  readonly fileBytes: number
  readonly openFiles: number
  /**
   * Maximum number of processes and threads. The kernel counts those of this sandbox alone only if the worker
   * does not run as root: see README.md.
   */
  readonly processes: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
}
