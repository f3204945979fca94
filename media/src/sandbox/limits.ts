/** What one run may take. All of it is enforced by the kernel but the time and the output, which we watch. */
export type Limits = {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  /** Of address space: what the program may map, not what it touches. */
  readonly memoryBytes: number
  /** The largest file that it may write. */
  readonly fileBytes: number
  readonly openFiles: number
  /** Processes and threads, where the kernel counts them for the sandbox alone: see README.md. */
  readonly processes: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
}
