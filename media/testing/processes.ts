/** Finds processes of this machine in /proc. */
import { readdirSync, readFileSync } from 'node:fs'

const allProcesses = () =>
  readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .map(Number)

/** Reads a file of a process in /proc. Returns an empty string if the process has ended. */
function readProc(id: number, file: 'stat' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Reads `stat`, in which state and parent follow the name. */
function statOf(id: number) {
  const [state = '', parent] = readProc(id, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return { state, parent: Number(parent) }
}

export const childrenOf = (parent: number) => allProcesses().filter((id) => statOf(id).parent === parent)

/** Whether the process is running; false for zombies. */
export const isRunning = (id: number) => !['', 'Z'].includes(statOf(id).state)

export const sleepersWith = (argument: string) =>
  allProcesses().filter((id) => {
    const [program = '', ...given] = readProc(id, 'cmdline').split('\0')
    return program.endsWith('/sleep') && given.includes(argument)
  })
