/** Processes of this machine, by the kernel's account. */
import { readdirSync, readFileSync } from 'node:fs'

const allProcesses = () =>
  readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .map(Number)

/** Of one that has ended meanwhile there is nothing to tell. */
function told(id: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Behind the name in `stat` stand the state and the parent. */
function standingOf(id: number) {
  const [state = '', parent] = told(id, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return { state, parent: Number(parent) }
}

export const childrenOf = (parent: number) =>
  allProcesses().filter((id) => standingOf(id).parent === parent)

/** One that was killed and waits to be buried does not. */
export const isRunning = (id: number) => !['', 'Z'].includes(standingOf(id).state)

export const sleepersWith = (argument: string) =>
  allProcesses().filter((id) => {
    const [program = '', ...given] = told(id, 'cmdline').split('\0')
    return program.endsWith('/sleep') && given.includes(argument)
  })
