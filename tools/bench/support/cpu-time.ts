import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** Kernel ticks per second; fixed for user space on Linux. */
const TICKS_PER_SECOND = 100

/** CPU seconds used by a process so far. */
export function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** CPU milliseconds used by a process so far, exact while it sleeps. */
export function cpuMillisecondsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000
}

/** CPU seconds of all processes started by this one, running or ended. */
export function cpuSecondsOfChildren(parent: number): number {
  const fields = statOf(parent)
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && Number(statOf(pid)[1]) === parent)
    .reduce((sum, pid) => sum + cpuSecondsOf(pid), ended)
}

/** Returns the fields of /proc/PID/stat after the command name, which may contain spaces. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Process ID of the Postgres postmaster. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const parent = Number(statOf(rows[0]?.pid ?? 0)[1])
  await client.end()
  return parent
}

/** Bytes read and written by a process so far, including sockets and files. */
export function bytesThrough(pid: number): number {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8')
  const counter = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return counter('rchar') + counter('wchar')
}
