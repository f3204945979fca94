/** Processes of this machine, by the kernel's account. */
import { readdirSync, readFileSync } from 'node:fs'

/** Behind the name in `stat` stand the state and the parent. What has ended meanwhile has neither. */
function standingOf(id: number): { state?: string; parent?: number } {
  try {
    const behindName = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1) ?? ''
    const [state = '', parent] = behindName.split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return {}
  }
}

export const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .map(Number)
    .filter((id) => standingOf(id).parent === parent)

/** One that was killed and waits to be buried does not. */
export const isRunning = (id: number) => ![undefined, 'Z'].includes(standingOf(id).state)
