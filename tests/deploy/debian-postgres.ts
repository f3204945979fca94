/** Debian's Postgres programs, for a small cluster in a test. The programs refuse to run as root. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'

const isRoot = process.getuid?.() === 0
const user = isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : []

/** Folder with the programs of the newest installed version. */
export const [postgresBin = ''] = globSync('/usr/lib/postgresql/*/bin').toSorted().reverse()

/** Arguments of `setpriv` that run a program as the user postgres and kill it when this process ends. */
export const asUserPostgres = (program: string, args: readonly string[]): readonly string[] => [
  ...user,
  ...['--pdeathsig', 'KILL', '--', program, ...args],
]

/** Makes the user postgres the owner of the folder, because it may have no access to the checkout. */
export function giveToPostgres(directory: string): void {
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', directory])
}
