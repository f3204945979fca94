/**
 * Runs tasks with limits of concurrency, in total and per key, such as an organization. Keys take turns, so that the
 * tasks of one key do not delay those of another by more than one task.
 */
export type FairQueueLimits = {
  readonly runningMax: number
  readonly runningPerKeyMax: number
  /** Maximum number of tasks of a key, running and waiting. */
  readonly tasksPerKeyMax: number
}

type KeyTasks = { running: number; readonly waiting: (() => void)[] }

export class FairQueue {
  readonly #limits: FairQueueLimits
  /** Keys with tasks, the key with the next turn first. */
  readonly #keys = new Map<string, KeyTasks>()
  #running = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  /** Runs a task when it is its turn. Returns undefined if the key has too many tasks. */
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> | undefined {
    const tasks = this.#keys.get(key) ?? { running: 0, waiting: [] }
    if (tasks.running + tasks.waiting.length >= this.#limits.tasksPerKeyMax) return undefined
    const started = new Promise<void>((start) => tasks.waiting.push(start))
    this.#keys.set(key, tasks)
    this.#startNext()
    return started.then(task).finally(() => this.#end(key, tasks))
  }

  #startNext(): void {
    if (this.#running >= this.#limits.runningMax) return
    for (const [key, tasks] of this.#keys) {
      const start = tasks.running < this.#limits.runningPerKeyMax ? tasks.waiting.shift() : undefined
      if (!start) continue
      this.#running++
      tasks.running++
      this.#moveToEnd(key, tasks)
      start()
      return
    }
  }

  #end(key: string, tasks: KeyTasks): void {
    this.#running--
    tasks.running--
    if (tasks.running === 0 && tasks.waiting.length === 0) this.#keys.delete(key)
    else this.#moveToEnd(key, tasks)
    this.#startNext()
  }

  /** Gives the other keys their turn first. */
  #moveToEnd(key: string, tasks: KeyTasks): void {
    this.#keys.delete(key)
    this.#keys.set(key, tasks)
  }
}
